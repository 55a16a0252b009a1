from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest
import sqlalchemy as sa
from sqlalchemy.ext.asyncio import async_sessionmaker
from sqlalchemy.orm import sessionmaker

from penstock.errors import OutboxError
from penstock.messaging import Message
from penstock.outbox import Inbox, Outbox, idempotent
from tests.outbox.helpers import TO, message, rows, run

if TYPE_CHECKING:
    from sqlalchemy.engine import Engine
    from sqlalchemy.ext.asyncio import AsyncEngine

THREADS = sa.Table("threads", sa.MetaData(), sa.Column("title", sa.String))


@dataclass
class Context:
    """As much of a handler's context as is looked at."""

    message: Message
    consumer: str = "entities"


FIRST = Context(Message(body=b"", id="1"))


@pytest.fixture
def inbox(engine: Engine) -> Inbox:
    THREADS.metadata.create_all(engine)
    inbox = Inbox()
    inbox.metadata.create_all(engine)
    return inbox


def titles(engine: Engine) -> list[str]:
    with engine.connect() as connection:
        return list(connection.scalars(sa.select(THREADS.c.title)))


@pytest.mark.parametrize("made_of", [sessionmaker, lambda engine: engine], ids=["session", "connection"])
def test_a_message_is_applied_once(engine: Engine, inbox: Inbox, outbox: Outbox, made_of: Any) -> None:
    @idempotent(made_of(engine), inbox=inbox)
    def handle(event: str, context: Context, session: Any) -> str:
        session.execute(sa.insert(THREADS), {"title": event})
        outbox.add(session, message(id=f"after {context.message.id}"), to=TO)
        return event

    assert handle("a", FIRST) == "a"
    assert handle("a", FIRST) is None
    assert titles(engine) == ["a"]
    assert rows(engine, outbox, "id") == [("after 1",)]


@pytest.mark.parametrize(
    "made_of", [async_sessionmaker, lambda engine: engine], ids=["session", "connection"]
)
def test_an_asynchronous_handler_is_applied_once(
    engine: Engine, async_engine: AsyncEngine, inbox: Inbox, outbox: Outbox, made_of: Any
) -> None:
    @idempotent(made_of(async_engine), inbox=inbox)
    async def handle(event: str, context: Context, session: Any) -> None:
        await session.execute(sa.insert(THREADS), {"title": event})
        await outbox.add(session, message(id=f"after {context.message.id}"), to=TO)

    async def story() -> None:
        await handle("a", FIRST)
        await handle("a", FIRST)
        await handle("b", Context(Message(body=b"", id="2")))
        await async_engine.dispose()

    run(story())
    assert titles(engine) == ["a", "b"]
    assert rows(engine, outbox, "id") == [("after 1",), ("after 2",)]


def test_a_handler_that_fails_leaves_nothing_and_is_tried_again(
    engine: Engine, inbox: Inbox, outbox: Outbox
) -> None:
    fails = [True]

    @idempotent(engine, inbox=inbox)
    def handle(event: str, context: Context, session: Any) -> None:
        session.execute(sa.insert(THREADS), {"title": event})
        outbox.add(session, message(), to=TO)
        if fails.pop():
            fails.append(False)
            raise LookupError

    with pytest.raises(LookupError):
        handle("a", FIRST)
    assert (titles(engine), rows(engine, outbox, "id")) == ([], [])
    handle("a", FIRST)
    assert titles(engine) == ["a"]


def is_stored(event: str, session: Any) -> bool:
    return bool(session.scalar(sa.select(sa.exists().where(THREADS.c.title == event))))


def test_a_check_of_its_own_keeps_a_handler_from_applying_twice(engine: Engine, inbox: Inbox) -> None:
    @idempotent(engine, is_done=is_stored)
    def handle(event: str, context: Context, session: Any) -> None:
        session.execute(sa.insert(THREADS), {"title": event})

    for n in range(3):  # with ids that no inbox would know again
        handle("a", Context(Message(body=b"", id=str(n))))
    assert titles(engine) == ["a"]


def test_an_asynchronous_check_is_awaited(engine: Engine, async_engine: AsyncEngine, inbox: Inbox) -> None:
    async def is_there(event: str, session: Any) -> bool:
        return bool(await session.scalar(sa.select(sa.exists().where(THREADS.c.title == event))))

    @idempotent(async_engine, inbox=inbox, is_done=is_there)
    async def handle(event: str, context: Context, session: Any) -> None:
        await session.execute(sa.insert(THREADS), {"title": event})

    async def story() -> None:
        for n in range(2):
            await handle("a", Context(Message(body=b"", id=str(n))))
        await async_engine.dispose()

    run(story())
    assert titles(engine) == ["a"]


def test_what_is_made_looks_like_a_handler(engine: Engine, inbox: Inbox) -> None:
    @idempotent(engine, inbox=inbox)
    def notifications(event: str, context: Context, session: Any) -> None:
        """Tell people."""

    assert (notifications.__name__, notifications.__doc__) == ("notifications", "Tell people.")
    assert list(inspect.signature(notifications).parameters) == ["event", "context"]


def test_a_handler_of_the_other_kind_is_refused(
    engine: Engine, async_engine: AsyncEngine, inbox: Inbox
) -> None:
    async def asynchronous(event: str, context: Context, session: Any) -> None: ...
    def plain(event: str, context: Context, session: Any) -> None: ...

    with pytest.raises(OutboxError, match="must be plain def, as its transactions are synchronous"):
        idempotent(engine, inbox=inbox)(asynchronous)
    with pytest.raises(OutboxError, match="must be async def, as its transactions are asynchronous"):
        idempotent(async_engine, inbox=inbox)(plain)


def test_something_must_keep_it_from_being_applied_twice(engine: Engine) -> None:
    with pytest.raises(OutboxError, match="by an inbox, by a check of its own, or by both"):
        idempotent(engine)
