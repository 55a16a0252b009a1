from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import sqlalchemy as sa

from penstock.outbox import Database, prune, read_archive, retention
from tests.outbox.helpers import TO, add, message, rows, run

if TYPE_CHECKING:
    from pathlib import Path

    from sqlalchemy.engine import Engine

    from penstock.clock import VirtualClock
    from penstock.outbox import Outbox


def pruned(engine: Engine, outbox: Outbox, *, keep: float, archive: Path | None = None) -> int:
    async def story() -> int:
        database = Database(engine)
        try:
            return await prune(database, outbox, keep=keep, archive=archive)
        finally:
            database.close()

    count: int = run(story())
    return count


def set_relayed(engine: Engine, outbox: Outbox, id_: str, relayed: int, at: float | None) -> None:
    with engine.begin() as connection:
        connection.execute(
            sa.update(outbox.table).where(outbox.table.c.id == id_).values(relayed=relayed, relayed_at=at)
        )


def test_only_what_was_relayed_long_ago_is_deleted(
    engine: Engine, outbox: Outbox, clock: VirtualClock, tmp_path: Path
) -> None:
    add(engine, outbox, b"old", b"waits", b"aside", b"young", b"older")
    now = clock.now()
    set_relayed(engine, outbox, "old", 1, now - 101)
    set_relayed(engine, outbox, "aside", -1, now - 101)
    set_relayed(engine, outbox, "young", 1, now - 99)
    set_relayed(engine, outbox, "older", 3, now - 1000)
    assert pruned(engine, outbox, keep=100, archive=tmp_path) == 2
    assert rows(engine, outbox, "id") == [("waits",), ("aside",), ("young",)]
    (file,) = tmp_path.glob("penstock_outbox-*")
    assert [row.id for row in read_archive(file)] == ["old", "older"]


def test_slices_are_deleted_one_after_another(
    engine: Engine, outbox: Outbox, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, clock: VirtualClock
) -> None:
    monkeypatch.setattr(retention, "SLICE", 2)
    with engine.begin() as connection:
        for n in range(5):
            outbox.add(connection, message(id=str(n)), to=TO, relayed=1)
    clock.advance(1)
    assert pruned(engine, outbox, keep=0, archive=tmp_path) == 5
    assert len(list(tmp_path.glob("*.gz"))) == 3
    assert rows(engine, outbox, "id") == []


def test_nothing_is_deleted_that_could_not_be_archived(
    engine: Engine, outbox: Outbox, clock: VirtualClock, tmp_path: Path
) -> None:
    with engine.begin() as connection:
        outbox.add(connection, message(id="1"), to=TO, relayed=1)
    clock.advance(1)
    (tmp_path / "file").touch()
    with pytest.raises(OSError, match="file"):
        pruned(engine, outbox, keep=0, archive=tmp_path / "file")
    assert rows(engine, outbox, "id") == [("1",)]
