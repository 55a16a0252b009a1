from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import Session

from penstock.errors import InvalidMessage
from penstock.outbox import Inbox
from tests.outbox.helpers import run

if TYPE_CHECKING:
    from sqlalchemy.engine import Engine
    from sqlalchemy.ext.asyncio import AsyncEngine

    from penstock.clock import VirtualClock


@pytest.fixture
def inbox(engine: Engine, clock: VirtualClock) -> Inbox:
    inbox = Inbox(clock=clock)
    inbox.metadata.create_all(engine)
    return inbox


def is_new(engine: Engine, inbox: Inbox, message_id: str, consumer: str = "one") -> bool:
    with engine.begin() as connection:
        return inbox.is_new(connection, message_id, consumer)


def test_a_message_is_new_once_for_each_consumer(engine: Engine, inbox: Inbox) -> None:
    assert is_new(engine, inbox, "1")
    assert not is_new(engine, inbox, "1")
    assert is_new(engine, inbox, "1", consumer="other")
    assert is_new(engine, inbox, "2")


@pytest.mark.parametrize("name", ["a\0b", "half a character: \udc80"])
def test_a_message_may_have_any_id(engine: Engine, inbox: Inbox, name: str) -> None:
    with engine.begin() as connection:
        assert inbox.is_new(connection, name, "bills")
    with engine.begin() as connection:
        assert not inbox.is_new(connection, name, "bills")


def test_a_handler_that_failed_has_not_handled_it(engine: Engine, inbox: Inbox) -> None:
    with Session(engine) as session:
        assert inbox.is_new(session, "1", "one")
        session.rollback()
        assert inbox.is_new(session, "1", "one")
        session.commit()
        assert not inbox.is_new(session, "1", "one")


def test_asynchronous_handlers_ask_too(async_engine: AsyncEngine, inbox: Inbox) -> None:
    async def story() -> list[bool]:
        async with AsyncSession(async_engine) as session, session.begin():
            answers = [await inbox.is_new(session, "1", "one")]
        async with async_engine.begin() as connection:
            answers.append(await inbox.is_new(connection, "1", "one"))
        await async_engine.dispose()
        return answers

    assert run(story()) == [True, False]


@pytest.mark.parametrize("commits", [True, False])
@pytest.mark.parametrize("url", ["postgresql"], indirect=True)
def test_two_deliveries_at_once_wait_for_each_other(engine: Engine, inbox: Inbox, *, commits: bool) -> None:
    answers: list[bool] = []
    with engine.connect() as connection:
        assert inbox.is_new(connection, "1", "one")
        other = threading.Thread(target=lambda: answers.append(is_new(engine, inbox, "1")))
        other.start()
        other.join(0.1)
        assert answers == []
        connection.commit() if commits else connection.rollback()
    other.join()
    assert answers == [not commits]


def test_a_message_without_an_id_is_refused(engine: Engine, inbox: Inbox) -> None:
    with pytest.raises(InvalidMessage, match="without an id"):
        is_new(engine, inbox, "")


def test_what_was_handled_before_an_instant_is_forgotten(
    engine: Engine, inbox: Inbox, clock: VirtualClock
) -> None:
    is_new(engine, inbox, "old")
    clock.advance(10)
    is_new(engine, inbox, "young")
    with engine.begin() as connection:
        assert inbox.forget(connection, before=clock.now()) == 1
    assert is_new(engine, inbox, "old")
    assert not is_new(engine, inbox, "young")
    assert repr(inbox) == "<Inbox penstock_inbox>"
