from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import sqlalchemy as sa

from penstock.outbox import Database, Reconciler, SharedTable, Told, reconcile
from tests.outbox.helpers import rows, run

if TYPE_CHECKING:
    from sqlalchemy.engine import Engine

    from penstock.outbox import Change, Outbox

METADATA = sa.MetaData()
THREADS = sa.Table(
    "threads", METADATA, sa.Column("id", sa.Integer, primary_key=True), sa.Column("title", sa.String)
)
VOTES = sa.Table(
    "votes",
    METADATA,
    sa.Column("thread", sa.Integer, primary_key=True),
    sa.Column("voter", sa.String, primary_key=True),
)


@pytest.fixture(autouse=True)
def small_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reconcile, "PAGE", 3)


@pytest.fixture
def reconciler(engine: Engine, outbox: Outbox) -> Reconciler:
    """Ten threads and ten votes."""
    told = Told(outbox)
    told.metadata.create_all(engine)
    METADATA.create_all(engine)
    with engine.begin() as connection:
        connection.execute(sa.insert(THREADS), [{"id": n, "title": f"t{n}"} for n in range(10)])
        connection.execute(sa.insert(VOTES), [{"thread": n // 2, "voter": str(n % 2)} for n in range(10)])
    return Reconciler(told, [SharedTable(THREADS, exchange="x"), SharedTable(VOTES, exchange="x")])


def reconciled(engine: Engine, reconciler: Reconciler, **how: Any) -> dict[tuple[str, str], int]:
    async def story() -> dict[tuple[str, str], int]:
        database = Database(engine)
        try:
            return await reconciler.run(database, **how)
        finally:
            database.close()

    counts: dict[tuple[str, str], int] = run(story())
    return counts


def test_how_far_it_is_is_told_of_all_rows_that_are_there_or_were_told_of(
    engine: Engine, reconciler: Reconciler
) -> None:
    reconciled(engine, reconciler)
    with engine.begin() as connection:
        connection.execute(sa.delete(THREADS).where(THREADS.c.id < 5))
    told: list[tuple[int, int]] = []
    reconciled(engine, reconciler, on_progress=lambda done, total: told.append((done, total)))
    assert told == sorted(told)
    assert (told[0], told[-1]) == ((3, 35), (35, 35))


def test_the_difference_is_told_and_nothing_else(
    engine: Engine, reconciler: Reconciler, outbox: Outbox
) -> None:
    assert reconciled(engine, reconciler) == {("threads", "created"): 10, ("votes", "created"): 10}
    assert reconciled(engine, reconciler) == {}
    with engine.begin() as connection:  # a migration
        connection.execute(sa.update(THREADS).where(THREADS.c.id >= 8).values(title="new"))
        connection.execute(sa.delete(THREADS).where(THREADS.c.id < 5))
        connection.execute(sa.insert(THREADS), {"id": 77, "title": "t77"})
        connection.execute(sa.delete(VOTES).where(VOTES.c.thread == 2))
    changes: list[Change] = []
    assert reconciled(engine, reconciler, on_change=changes.append) == {
        ("threads", "created"): 1,
        ("threads", "updated"): 2,
        ("threads", "deleted"): 5,
        ("votes", "deleted"): 2,
    }
    assert len(changes) == 10
    assert reconciled(engine, reconciler) == {}
    told = [body for kind, body in rows(engine, outbox, "type", "body") if kind == "votes.deleted"]
    assert told == [b'{"thread":2,"voter":"0"}', b'{"thread":2,"voter":"1"}']


def test_a_dry_run_only_counts(engine: Engine, reconciler: Reconciler, outbox: Outbox) -> None:
    for _ in range(2):
        assert reconciled(engine, reconciler, is_dry=True)["threads", "created"] == 10
    assert rows(engine, outbox, "id") == []


def test_what_consumers_have_already_can_be_taken_for_told(
    engine: Engine, reconciler: Reconciler, outbox: Outbox
) -> None:
    assert reconciled(engine, reconciler, assume_told=True)["votes", "created"] == 10
    assert reconciled(engine, reconciler) == {}
    assert rows(engine, outbox, "id") == []


def test_a_run_that_is_broken_off_is_run_again(
    engine: Engine, reconciler: Reconciler, outbox: Outbox
) -> None:
    seen: list[Change] = []

    def break_off(change: Change) -> None:
        seen.append(change)
        if len(seen) == 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        reconciled(engine, reconciler, on_change=break_off)
    assert len(rows(engine, outbox, "id")) == 3  # the first page
    assert reconciled(engine, reconciler)["threads", "created"] == 7
    assert len(rows(engine, outbox, "id")) == 20


def test_empty_tables_have_nothing_to_tell(engine: Engine, reconciler: Reconciler) -> None:
    with engine.begin() as connection:
        connection.execute(sa.delete(THREADS))
        connection.execute(sa.delete(VOTES))
    assert reconciled(engine, reconciler) == {}
