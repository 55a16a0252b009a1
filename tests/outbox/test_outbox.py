from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest
import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncSession, async_scoped_session, async_sessionmaker
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column, scoped_session, sessionmaker

from penstock.errors import OutboxError
from penstock.messaging import Destination, Message
from penstock.outbox import Outbox
from tests.outbox.helpers import TO, add, message, rows

if TYPE_CHECKING:
    from sqlalchemy.engine import Engine
    from sqlalchemy.ext.asyncio import AsyncEngine

    from penstock.clock import VirtualClock


class Base(DeclarativeBase):
    """The application's own tables."""


class Thread(Base):
    __tablename__ = "threads"
    id: Mapped[int] = mapped_column(primary_key=True)
    title: Mapped[str]


def test_a_message_is_kept_with_its_change(engine: Engine, outbox: Outbox, clock: VirtualClock) -> None:
    with engine.begin() as connection:
        added = outbox.add(connection, message(b"hello", id="1"), to=TO, priority=2)
    assert added.id == "1"
    columns = ("id", "type", "exchange", "key", "priority", "body", "added_at", "relayed", "attempts")
    assert rows(engine, outbox, *columns) == [
        ("1", "ThreadCreated", "commons", "ThreadCreated", 2, b"hello", clock.now(), 0, 0)
    ]


def test_what_is_rolled_back_was_never_added(engine: Engine, outbox: Outbox) -> None:
    with engine.connect() as connection:
        outbox.add(connection, message(), to=TO)
        connection.rollback()
    assert rows(engine, outbox, "id") == []


def test_a_session_adds_with_its_objects(engine: Engine, outbox: Outbox) -> None:
    Base.metadata.create_all(engine)
    with Session(engine) as session:
        session.add(Thread(id=1, title="first"))
        outbox.add(session, message(id="1"), to=TO)
        session.commit()
        session.add(Thread(id=2, title="second"))
        outbox.add(session, message(id="2"), to=TO)
        session.rollback()
        assert list(session.scalars(sa.select(Thread.id))) == [1]
    assert rows(engine, outbox, "id") == [("1",)]


def test_a_scoped_session_adds(engine: Engine, outbox: Outbox) -> None:
    session = scoped_session(sessionmaker(engine))
    outbox.add(session, message(id="1"), to=TO)
    session.commit()
    session.remove()
    assert rows(engine, outbox, "id") == [("1",)]


def test_a_session_with_several_databases_chooses_by_the_table(engine: Engine, outbox: Outbox) -> None:
    other = sa.create_engine("sqlite://")
    with Session(binds={Thread: other, outbox.table: engine}) as session:
        outbox.add(session, message(id="1"), to=TO)
        session.commit()
    assert rows(engine, outbox, "id") == [("1",)]
    other.dispose()


def test_asynchronous_transactions_add(engine: Engine, async_engine: AsyncEngine, outbox: Outbox) -> None:
    async def story() -> None:
        async with async_engine.begin() as connection:
            assert (await outbox.add(connection, message(id="1"), to=TO)).id == "1"
            await outbox.add_many(connection, [(message(id="2"), TO)])
        async with AsyncSession(async_engine) as session, session.begin():
            await outbox.add(session, message(id="3"), to=TO)
        scoped = async_scoped_session(async_sessionmaker(async_engine), asyncio.current_task)
        await outbox.add(scoped, message(id="4"), to=TO)
        await scoped.commit()
        await scoped.remove()
        await async_engine.dispose()

    asyncio.run(story())
    assert rows(engine, outbox, "id") == [("1",), ("2",), ("3",), ("4",)]


def test_many_are_added_in_their_order(engine: Engine, outbox: Outbox) -> None:
    with engine.begin() as connection:
        outbox.add_many(connection, [(message(id=str(n)), TO) for n in range(5)], priority=1)
        outbox.add_many(connection, [])
    assert rows(engine, outbox, "id", "priority") == [(str(n), 1) for n in range(5)]


def test_events_are_prepared(engine: Engine) -> None:
    def prepare(event: Any) -> tuple[Message, Destination]:
        return message(event.encode()), Destination("commons", event)

    outbox = Outbox("events", prepare=prepare)
    outbox.metadata.create_all(engine)
    with engine.begin() as connection:
        outbox.add(connection, "ThreadCreated")
        outbox.add(connection, "ThreadDeleted", to=Destination("", "one"))
    assert rows(engine, outbox, "body", "exchange", "key") == [
        (b"ThreadCreated", "commons", "ThreadCreated"),
        (b"ThreadDeleted", "", "one"),
    ]


def test_a_message_without_a_destination_is_refused(engine: Engine, outbox: Outbox) -> None:
    with engine.begin() as connection, pytest.raises(OutboxError, match="message 1 has no destination"):
        outbox.add(connection, message(id="1"))


def test_an_event_is_refused_where_nobody_prepares_it(engine: Engine, outbox: Outbox) -> None:
    with engine.begin() as connection, pytest.raises(OutboxError, match="str is no Message"):
        outbox.add(connection, "ThreadCreated")


def test_tables_may_stand_among_the_applications_own() -> None:
    metadata = sa.MetaData()
    assert Outbox("mine", metadata=metadata).table is metadata.tables["mine"]


def test_an_outbox_shows_its_table(engine: Engine, outbox: Outbox) -> None:
    add(engine, outbox, b"1")
    assert repr(outbox) == "<Outbox penstock_outbox>"
