from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

from penstock.errors import OutboxError, Unroutable
from penstock.messaging import Destination
from penstock.outbox import Database, Selection, archived, count_kept, kept, prune, replay
from penstock.outbox.replay import REPLAYED
from tests.outbox.helpers import TO, comes_true, message, rows, run

if TYPE_CHECKING:
    from pathlib import Path

    from sqlalchemy.engine import Engine

    from penstock.clock import VirtualClock
    from penstock.outbox import Outbox
    from tests.outbox.recording import RecordingBroker


@pytest.fixture(autouse=True)
def log(engine: Engine, outbox: Outbox, clock: VirtualClock) -> None:
    """Six that were relayed, a second apart, and one that waits."""
    for n in range(6):
        with engine.begin() as connection:
            kind = "ThreadCreated" if n % 2 else "ThreadDeleted"
            outbox.add(connection, message(b"%d" % n, id=str(n), type=kind), to=TO, relayed=1)
        clock.advance(1)
    with engine.begin() as connection:
        outbox.add(connection, message(b"waits", id="waits"), to=TO)


def replayed(
    engine: Engine, outbox: Outbox, broker: RecordingBroker, selection: Selection | None = None, **how: Any
) -> int:
    async def story() -> int:
        database = Database(engine)
        try:
            return await replay(kept(database, outbox, selection or Selection()), broker, **how)
        finally:
            database.close()

    count: int = run(story())
    return count


@pytest.mark.parametrize(
    ("selection", "expected"),
    [
        ({}, "012345"),
        ({"since": 1_000_002.0, "until": 1_000_004.0}, "23"),
        ({"types": ("ThreadCreated",)}, "135"),
        ({"ids": ("4", "1", "waits")}, "14"),
        ({"since": 1_000_003.0, "types": ("ThreadDeleted",)}, "4"),
        ({"after": 4}, "45"),
    ],
)
def test_what_fits_is_published_again_in_order(
    engine: Engine, outbox: Outbox, broker: RecordingBroker, selection: dict[str, Any], expected: str
) -> None:
    with engine.connect() as connection:
        assert count_kept(connection, outbox, Selection(**selection)) == len(expected)
    assert replayed(engine, outbox, broker, Selection(**selection)) == len(expected)
    assert [sent.id for sent, _ in broker.published] == list(expected)
    assert {to for _, to in broker.published} == {TO}
    assert all(sent.headers[REPLAYED] == 1 for sent, _ in broker.published)


def test_rows_count_how_often_they_were_published(
    engine: Engine, outbox: Outbox, broker: RecordingBroker, clock: VirtualClock
) -> None:
    replayed(engine, outbox, broker, Selection(types=("ThreadCreated",)))
    replayed(engine, outbox, broker, Selection(ids=("1",)))
    assert rows(engine, outbox, "relayed") == [(1,), (3,), (1,), (2,), (1,), (2,), (0,)]
    assert rows(engine, outbox, "relayed_at")[1] == (clock.now(),)


def test_one_consumer_alone_can_be_told(engine: Engine, outbox: Outbox, broker: RecordingBroker) -> None:
    replayed(engine, outbox, broker, queue="commons.Notifications")
    assert {to for _, to in broker.published} == {Destination("", "commons.Notifications")}


def test_a_replay_that_stops_tells_where_to_go_on(
    engine: Engine, outbox: Outbox, broker: RecordingBroker
) -> None:
    broker.errors[b"3"] = Unroutable("nobody")
    with pytest.raises(OutboxError, match=r"3 could not be .*: nobody; 3 were before, go on after 3"):
        replayed(engine, outbox, broker)
    del broker.errors[b"3"]
    broker.published.clear()
    replayed(engine, outbox, broker, Selection(after=3))
    assert broker.bodies == [b"3", b"4", b"5"]


def test_without_a_broker_nothing_is_replayed(
    engine: Engine, outbox: Outbox, broker: RecordingBroker
) -> None:
    broker.is_connected = False
    with pytest.raises(OutboxError, match="0 were before, go on after 0"):
        replayed(engine, outbox, broker)


def test_what_is_relayed_meanwhile_is_not_replayed(
    engine: Engine, outbox: Outbox, broker: RecordingBroker
) -> None:
    def relay_one_more() -> None:
        with engine.begin() as connection:
            outbox.add(connection, message(b"new"), to=TO, relayed=1)

    broker.before = relay_one_more
    assert replayed(engine, outbox, broker) == 6


def contains(seen: list[int], count: int) -> bool:
    return count in seen


def test_a_rate_is_kept(engine: Engine, outbox: Outbox, broker: RecordingBroker, clock: VirtualClock) -> None:
    seen: list[int] = []

    async def story() -> None:
        database = Database(engine)
        found = kept(database, outbox, Selection())
        task = asyncio.create_task(replay(found, broker, rate=2.0, on_progress=seen.append))
        for count in range(1, 7):
            await comes_true(partial(contains, seen, count))
            assert seen == list(range(1, count + 1))
            clock.advance(0.5)
        assert await task == 6
        database.close()

    run(story())


def test_archives_are_replayed(
    engine: Engine, outbox: Outbox, broker: RecordingBroker, clock: VirtualClock, tmp_path: Path
) -> None:
    async def story(folder: Path = tmp_path) -> int:
        database = Database(engine)
        await prune(database, outbox, keep=0.0, archive=folder)
        database.close()
        selection = Selection(types=("ThreadCreated",), since=1_000_002.0, until=1_000_009.0, after=1)
        files = sorted(folder.glob("*.gz"))  # noqa: ASYNC240  nobody waits for this loop
        return await replay(archived(files, selection), broker)

    clock.advance(1)
    assert run(story()) == 2
    assert broker.bodies == [b"3", b"5"]
