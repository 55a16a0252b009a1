from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import pytest
import sqlalchemy as sa

from penstock.outbox import SharedTable, Told
from tests.outbox.helpers import rows

if TYPE_CHECKING:
    from sqlalchemy.engine import Engine

    from penstock.outbox import Outbox

THREADS = sa.Table(
    "threads", sa.MetaData(), sa.Column("id", sa.Integer, primary_key=True), sa.Column("title", sa.String)
)
VOTES = sa.Table(
    "votes",
    sa.MetaData(),
    sa.Column("thread", sa.Integer, primary_key=True),
    sa.Column("voter", sa.String, primary_key=True),
    sa.Column("weight", sa.Integer),
)
SHARED = SharedTable(THREADS, exchange="commons")


@pytest.fixture
def told(engine: Engine, outbox: Outbox) -> Told:
    told = Told(outbox)
    told.metadata.create_all(engine)
    THREADS.metadata.create_all(engine)
    VOTES.metadata.create_all(engine)
    return told


def tell(engine: Engine, told: Told, statement: sa.Executable, *keys: Any) -> list[tuple[str, Any]]:
    with engine.begin() as connection:
        connection.execute(statement)
        changes = told.tell(connection, SHARED, [(key,) for key in keys])
    return [(change.kind, change.key["id"]) for change in changes]


def test_it_knows_by_itself_what_happened(engine: Engine, told: Told, outbox: Outbox) -> None:
    created = sa.insert(THREADS).values([{"id": 1, "title": "a"}, {"id": 2, "title": "b"}])
    assert tell(engine, told, created, 1, 2, 3) == [("created", 1), ("created", 2)]
    assert tell(engine, told, sa.update(THREADS).values(title="b"), 1, 2) == [("updated", 1)]
    assert tell(engine, told, sa.delete(THREADS).where(THREADS.c.id == 1), 1, 2) == [("deleted", 1)]
    assert tell(engine, told, sa.select(1), 1, 2) == []
    assert rows(engine, outbox, "type", "exchange", "body") == [
        ("threads.created", "commons", b'{"id":1,"title":"a"}'),
        ("threads.created", "commons", b'{"id":2,"title":"b"}'),
        ("threads.updated", "commons", b'{"id":1,"title":"b"}'),
        ("threads.deleted", "commons", b'{"id":1}'),
    ]


def test_what_is_rolled_back_was_not_told(engine: Engine, told: Told, outbox: Outbox) -> None:
    with engine.connect() as connection:
        connection.execute(sa.insert(THREADS), {"id": 1, "title": "a"})
        told.tell(connection, SHARED, [(1,)])
        connection.rollback()
    assert rows(engine, outbox, "id") == []
    assert tell(engine, told, sa.insert(THREADS).values(id=1, title="a"), 1) == [("created", 1)]


def test_a_key_may_have_several_columns(engine: Engine, told: Told) -> None:
    votes = SharedTable(VOTES)
    with engine.begin() as connection:
        connection.execute(sa.insert(VOTES), {"thread": 1, "voter": "x", "weight": 5})
        (change,) = told.tell(connection, votes, [(1, "x"), (1, "y")])
        assert change.key == {"thread": 1, "voter": "x"}
        connection.execute(sa.delete(VOTES))
        (change,) = told.tell(connection, votes, [(1, "x"), (1, "y")])
        assert change.kind == "deleted"


@pytest.mark.parametrize("url", ["postgresql"], indirect=True)
def test_two_who_tell_of_one_row_see_each_other(engine: Engine, told: Told) -> None:
    tell(engine, told, sa.insert(THREADS).values(id=1, title="a"), 1)
    found: list[Any] = []
    with engine.connect() as connection:
        connection.execute(sa.update(THREADS).values(title="b"))
        other = threading.Thread(target=lambda: found.append(tell(engine, told, sa.select(1), 1)))
        other.start()
        other.join(0.1)
        assert found == []
        assert len(told.tell(connection, SHARED, [(1,)])) == 1
        connection.commit()
    other.join()
    assert found == [[]]


@pytest.mark.parametrize("url", ["postgresql"], indirect=True)
def test_two_who_tell_of_one_new_row_tell_it_once(engine: Engine, told: Told, outbox: Outbox) -> None:
    with engine.begin() as connection:
        connection.execute(sa.insert(THREADS).values(id=1, title="a"))
    found: list[Any] = []
    with engine.connect() as connection:
        assert len(told.tell(connection, SHARED, [(1,)])) == 1
        other = threading.Thread(target=lambda: found.append(tell(engine, told, sa.select(1), 1)))
        other.start()
        other.join(0.1)
        connection.commit()
    other.join()
    assert found == [[]]
    assert rows(engine, outbox, "type") == [("threads.created",)]
