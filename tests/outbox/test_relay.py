from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest
import sqlalchemy as sa
from sqlalchemy.exc import OperationalError
from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession

from penstock.errors import NotConnected, OutboxError, PublishLost, PublishRefused, Unroutable
from penstock.messaging import Message
from penstock.outbox import Outbox, Relay, RelaySettings
from tests.outbox.helpers import TO, add, comes_true, message, rows, run

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable

    from sqlalchemy.engine import Engine

    from penstock.clock import VirtualClock
    from tests.outbox.recording import RecordingAlerts, RecordingBroker


def will_ring_in(clock: VirtualClock, seconds: float) -> bool:
    return clock.next_at == clock.now() + seconds


class Told:
    """A relay with everything that it is told and tells."""

    def __init__(
        self,
        outbox: Outbox,
        engine: Engine | AsyncEngine,
        broker: RecordingBroker,
        alerts: RecordingAlerts,
    ) -> None:
        self.parts = (outbox, engine, broker)
        self.alerts = alerts

    def relay(self, **settings: Any) -> Relay:
        return Relay(*self.parts, settings=RelaySettings(**settings), alerts=self.alerts)


@pytest.fixture
def told(outbox: Outbox, engine: Engine, broker: RecordingBroker, alerts: RecordingAlerts) -> Told:
    return Told(outbox, engine, broker, alerts)


async def using(relay: Relay) -> AsyncIterator[Relay]:
    yield relay
    await relay.stop()


def test_what_waits_is_published_in_order_and_marked(
    told: Told, engine: Engine, outbox: Outbox, broker: RecordingBroker, clock: VirtualClock
) -> None:
    add(engine, outbox, b"1", b"2", b"3", b"4", b"5")
    clock.advance(10)

    async def story() -> int:
        async for relay in using(told.relay(batch=2)):
            assert await relay.drain() == 5
            return await relay.drain()
        raise AssertionError

    assert run(story()) == 0
    assert broker.bodies == [b"1", b"2", b"3", b"4", b"5"]
    assert broker.batches == [2, 2, 1]
    assert {to for _, to in broker.published} == {TO}
    assert rows(engine, outbox, "relayed", "relayed_at", "attempts") == [(1, clock.now(), 0)] * 5


def test_a_refused_message_holds_up_what_comes_after_its_batch(
    told: Told, engine: Engine, outbox: Outbox, broker: RecordingBroker
) -> None:
    add(engine, outbox, b"1", b"2", b"3", b"4", b"5", b"6", b"7", b"8", b"9")
    broker.errors[b"2"] = Unroutable("nobody takes it")

    async def story() -> None:
        async for relay in using(told.relay(batch=3)):
            for _ in range(3):
                with pytest.raises(Unroutable):
                    await relay.drain()
            assert broker.bodies == [b"1", b"3"]
            del broker.errors[b"2"]
            assert await relay.drain() == 7

    run(story())
    assert broker.bodies == [b"1", b"3", b"2", b"4", b"5", b"6", b"7", b"8", b"9"]
    # One at a time until it is through, then more with every success.
    assert broker.batches == [3, 1, 1, 1, 2, 3, 1]
    assert rows(engine, outbox, "relayed", "attempts", "error") == [(1, 0, None)] * 9


@pytest.mark.parametrize(
    ("size", "settings", "batches"),
    [
        # From 100 on, twice as many each time, up to the most.
        (10, {"batch": 300}, [100, 200, 300, 200]),
        # The first tells how large they are: four of them fit.
        (1000, {"batch": 300, "batch_bytes": 4500}, [100, *[4] * 25]),
        (1000, {"batch": 2, "batch_bytes": 999}, [2, *[1] * 98]),
        (0, {"batch": 400}, [100, 200, 400, 100]),
    ],
)
def test_batches_grow_until_they_are_large_enough(
    told: Told,
    engine: Engine,
    outbox: Outbox,
    broker: RecordingBroker,
    size: int,
    settings: dict[str, int],
    batches: list[int],
) -> None:
    with engine.begin() as connection:
        outbox.add_many(connection, [(message(bytes(size)), TO) for _ in range(sum(batches))])

    async def story() -> None:
        async for relay in using(told.relay(**settings)):
            assert await relay.drain() == sum(batches)

    run(story())
    assert broker.batches == batches


def test_with_batches_of_one_nothing_overtakes(
    told: Told, engine: Engine, outbox: Outbox, broker: RecordingBroker
) -> None:
    add(engine, outbox, b"1", b"2", b"3")
    broker.errors[b"2"] = PublishRefused("full")

    async def story() -> None:
        async for relay in using(told.relay(batch=1)):
            with pytest.raises(PublishRefused):
                await relay.drain()

    run(story())
    assert broker.bodies == [b"1"]
    assert rows(engine, outbox, "relayed", "attempts", "error") == [
        (1, 0, None),
        (0, 1, "PublishRefused: full"),
        (0, 0, None),
    ]


def test_a_lost_connection_is_the_fault_of_the_first_only(
    told: Told, engine: Engine, outbox: Outbox, broker: RecordingBroker
) -> None:
    add(engine, outbox, b"1", b"2", b"3", b"4")
    broker.errors |= {body: PublishLost("gone") for body in (b"2", b"3")} | {b"4": Unroutable("nobody")}

    async def story() -> None:
        async for relay in using(told.relay()):
            with pytest.raises(PublishLost):
                await relay.drain()

    run(story())
    assert rows(engine, outbox, "relayed", "attempts") == [(1, 0), (0, 1), (0, 0), (0, 1)]


def test_without_a_broker_everything_waits(
    told: Told, engine: Engine, outbox: Outbox, broker: RecordingBroker
) -> None:
    add(engine, outbox, b"1", b"2")
    broker.is_connected = False

    async def story() -> None:
        async for relay in using(told.relay()):
            with pytest.raises(NotConnected):
                await relay.drain()
            broker.is_connected = True
            await relay.drain()

    run(story())
    assert broker.bodies == [b"1", b"2"]


def test_the_fifth_failed_try_is_a_critical_alert(
    told: Told, engine: Engine, outbox: Outbox, broker: RecordingBroker, alerts: RecordingAlerts
) -> None:
    add(engine, outbox, b"1")
    broker.errors[b"1"] = Unroutable("nobody takes it")

    async def story() -> None:
        async for relay in using(told.relay()):
            for tries in range(1, 6):
                assert alerts.raised == [], tries
                await relay.relay_once()

    run(story())
    (alert,) = alerts.raised
    assert (alert.kind, alert.subject, alert.is_critical) == ("relay-failing", "penstock_outbox", True)
    assert alert.text == (
        "ThreadCreated 1 could not be published to commons/ThreadCreated, try 5: nobody takes it;"
        " it and what comes after it wait"
    )
    assert alert.details["attempts"] == 5


def test_a_message_may_be_set_aside(
    told: Told, engine: Engine, outbox: Outbox, broker: RecordingBroker, alerts: RecordingAlerts
) -> None:
    add(engine, outbox, b"1", b"2")
    broker.errors[b"1"] = Unroutable("nobody takes it")

    async def story() -> None:
        async for relay in using(told.relay(batch=1, set_aside_after=2)):
            await relay.relay_once()
            assert alerts.raised == []
            await relay.relay_once()
            assert await relay.drain() == 1

    run(story())
    assert broker.bodies == [b"2"]
    assert rows(engine, outbox, "relayed", "attempts") == [(-1, 2), (1, 0)]
    assert "it is set aside" in alerts.raised[0].text


def test_a_broker_may_refuse_in_words_that_no_database_takes(
    told: Told, engine: Engine, outbox: Outbox, broker: RecordingBroker
) -> None:
    add(engine, outbox, b"1", b"2")
    broker.errors[b"2"] = PublishRefused("not a\0b")

    async def story() -> None:
        async for relay in using(told.relay()):
            await relay.relay_once()

    run(story())
    assert rows(engine, outbox, "relayed", "error") == [(1, None), (0, "PublishRefused: not a\\0b")]


def test_a_broker_that_is_away_sets_nothing_aside(
    told: Told, engine: Engine, outbox: Outbox, broker: RecordingBroker
) -> None:
    add(engine, outbox, b"1")
    broker.is_connected = False

    async def story() -> None:
        async for relay in using(told.relay(set_aside_after=1)):
            await relay.relay_once()

    run(story())
    assert rows(engine, outbox, "relayed", "attempts") == [(0, 1)]


def test_a_commit_in_this_process_wakes_the_relay_at_once(
    told: Told, engine: Engine, outbox: Outbox, broker: RecordingBroker
) -> None:
    async def story() -> None:
        # The clock stands still: no polling can be what finds them.
        async with told.relay():
            await comes_true(lambda: broker.clock.next_at < float("inf"))  # type: ignore[attr-defined]
            for n in range(3):
                await asyncio.to_thread(add, engine, outbox, b"%d" % n)
                await comes_true(partial(broker.has_published, n + 1))

    run(story())
    assert broker.bodies == [b"0", b"1", b"2"]


def test_an_asynchronous_commit_wakes_the_relay_at_once(
    outbox: Outbox, async_engine: AsyncEngine, broker: RecordingBroker
) -> None:
    async def story() -> None:
        async with Relay(outbox, async_engine, broker):
            await comes_true(lambda: broker.clock.next_at < float("inf"))  # type: ignore[attr-defined]
            async with AsyncSession(async_engine) as session, session.begin():
                await outbox.add(session, message(b"1"), to=TO)
            await comes_true(lambda: broker.published)
        await async_engine.dispose()

    run(story())


def test_what_other_processes_add_is_found_by_polling(
    told: Told, engine: Engine, outbox: Outbox, broker: RecordingBroker, clock: VirtualClock
) -> None:
    async def story() -> None:
        async with told.relay(poll_interval=1.0):
            await comes_true(lambda: clock.next_at < float("inf"))
            with engine.begin() as connection:  # past the outbox object of this process
                connection.execute(
                    sa.insert(outbox.table).inline(),
                    {
                        "id": "1",
                        "type": "",
                        "exchange": "",
                        "key": "q",
                        "priority": 0,
                        "body": b"theirs",
                        "envelope": _envelope(outbox),
                        "added_at": 0.0,
                        "relayed": 0,
                        "attempts": 0,
                    },
                )
            await asyncio.sleep(0.05)
            assert broker.published == []
            clock.advance(1.0)
            await comes_true(lambda: broker.published)

    run(story())
    assert broker.bodies == [b"theirs"]


def _envelope(outbox: Outbox) -> bytes:
    from penstock.outbox.envelope import row_of  # noqa: PLC0415

    envelope: bytes = row_of(Message(body=b""), TO, priority=0, now=0.0)["envelope"]
    return envelope


def test_failures_are_tried_again_after_growing_pauses(
    told: Told, engine: Engine, outbox: Outbox, broker: RecordingBroker, clock: VirtualClock
) -> None:
    add(engine, outbox, b"1")
    broker.errors[b"1"] = Unroutable("nobody takes it")

    async def story() -> None:
        async with told.relay(backoff_initial=1.0, backoff_multiplier=2.0, backoff_max=3.0):
            for tries, pause in ((1, 1.0), (2, 2.0), (3, 3.0), (4, 3.0)):
                await comes_true(partial(broker.was_asked, tries))
                await comes_true(partial(will_ring_in, clock, pause))
                # New messages do not hurry it.
                await asyncio.to_thread(add, engine, outbox, b"more%d" % tries)
                clock.advance(pause / 2)
                await asyncio.sleep(0.02)
                assert len(broker.batches) == tries
                clock.advance(pause / 2)
            broker.errors.clear()
            await comes_true(lambda: clock.next_at < float("inf"))
            clock.advance(3.0)
            await comes_true(lambda: len(broker.published) == 5)

    run(story())


def test_a_relay_outlives_its_database(
    engine: Engine,
    outbox: Outbox,
    broker: RecordingBroker,
    clock: VirtualClock,
    alerts: RecordingAlerts,
    told: Told,
) -> None:
    add(engine, outbox, b"1")
    with engine.begin() as connection:
        connection.execute(sa.text("ALTER TABLE penstock_outbox RENAME TO away"))

    async def story() -> None:
        async with told.relay(backoff_max=1.0):
            for _ in range(5):
                await comes_true(lambda: clock.next_at < float("inf"))
                clock.advance(1.0)
                await asyncio.sleep(0.02)
            await comes_true(lambda: alerts.raised)
            with engine.begin() as connection:
                connection.execute(sa.text("ALTER TABLE away RENAME TO penstock_outbox"))
            while not broker.published:
                clock.advance(1.0)
                await asyncio.sleep(0.01)

    run(story())
    assert "cannot be read" in alerts.raised[0].text


def test_a_relay_outlives_what_nobody_expects(
    engine: Engine,
    outbox: Outbox,
    broker: RecordingBroker,
    clock: VirtualClock,
    alerts: RecordingAlerts,
    told: Told,
) -> None:
    add(engine, outbox, b"1")

    def fail() -> None:
        raise RuntimeError("nobody has thought of this")

    broker.before = fail

    async def story() -> None:
        async with told.relay(backoff_max=1.0):
            while not alerts.raised:
                clock.advance(1.0)
                await asyncio.sleep(0.01)
            broker.before = lambda: None
            while not broker.published:
                clock.advance(1.0)
                await asyncio.sleep(0.01)

    run(story())
    assert "nobody has thought of this" in alerts.raised[0].text


def test_stopping_finishes_the_batch_that_is_under_way(
    told: Told, engine: Engine, outbox: Outbox, broker: RecordingBroker
) -> None:
    add(engine, outbox, b"1", b"2")

    async def story() -> None:
        entered, go_on = asyncio.Event(), asyncio.Event()

        async def wait() -> None:
            entered.set()
            await go_on.wait()

        broker.before = wait
        relay = told.relay(batch=1)
        await relay.start()
        assert "running" in repr(relay)
        await entered.wait()
        stopping = asyncio.create_task(relay.stop())
        await asyncio.sleep(0.01)
        assert not stopping.done()
        go_on.set()
        await stopping
        assert "stopped" in repr(relay)

    run(story())
    assert rows(engine, outbox, "relayed") == [(1,), (0,)]


def test_a_database_that_goes_while_a_batch_is_under_way_leaves_nothing_behind(
    told: Told, engine: Engine, outbox: Outbox, broker: RecordingBroker
) -> None:
    add(engine, outbox, b"1", b"2")
    cancelled = []

    async def hang() -> None:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            cancelled.append(True)
            raise

    def second_time() -> Awaitable[None] | None:
        return hang() if broker.batches else None

    async def story() -> None:
        async for relay in using(told.relay(batch=1)):
            claims = relay._claims
            broker.before = second_time
            claims._settling.settle = broken  # type: ignore[attr-defined]
            with pytest.raises(OperationalError):
                await relay.relay_once()

    def broken(connection: Any, settlement: Any) -> None:
        connection.execute(sa.text("SELECT 1"))
        raise OperationalError("UPDATE", {}, Exception("gone"))

    run(story())
    assert cancelled == [True]
    assert rows(engine, outbox, "relayed") == [(0,), (0,)]


def test_several_relays_at_once_publish_everything_once(
    engine: Engine, outbox: Outbox, broker: RecordingBroker, told: Told
) -> None:
    async def story() -> None:
        relays = [told.relay(batch=7) for _ in range(3)]
        for relay in relays:
            await relay.start()
        for n in range(40):
            await asyncio.to_thread(add, engine, outbox, b"%d" % n)
        while len(broker.published) < 40:
            broker.clock.advance(1.0)  # type: ignore[attr-defined]
            await asyncio.sleep(0.01)
        for relay in relays:
            await relay.stop()

    run(story())
    assert broker.bodies == [b"%d" % n for n in range(40)]


@pytest.mark.parametrize("url", ["postgresql"], indirect=True)
def test_relays_that_share_publish_everything_once(
    engine: Engine, outbox: Outbox, broker: RecordingBroker, told: Told
) -> None:
    with engine.begin() as connection:
        outbox.add_many(connection, [(message(b"%d" % n), TO) for n in range(60)])

    async def story() -> None:
        relays = [told.relay(batch=7, in_order=False) for _ in range(3)]
        assert sum(await asyncio.gather(*(relay.drain() for relay in relays))) == 60
        for relay in relays:
            await relay.stop()

    run(story())
    assert sorted(broker.bodies) == sorted(b"%d" % n for n in range(60))


@pytest.mark.parametrize("url", ["sqlite"], indirect=True)
def test_the_lease_of_a_relay_outlasts_a_broker_that_answers_late(
    told: Told, engine: Engine, outbox: Outbox, broker: RecordingBroker, clock: VirtualClock
) -> None:
    add(engine, outbox, b"1", b"2", b"3", b"4")
    how = {"batch": 2, "chain": 2, "publish_timeout": 10.0, "lease": 20.5}

    async def story() -> None:
        first, other = told.relay(**how), told.relay(**how)

        async def late() -> None:
            # Given that the next batch is found at once, and both are confirmed at the last moment
            await asyncio.sleep(0.1)
            clock.advance(10.0)
            if broker.batches:
                await other.relay_once()

        broker.before = late
        await first.relay_once()
        await first.stop()
        await other.stop()

    run(story())
    assert broker.bodies == [b"1", b"2", b"3", b"4"]


def test_a_relay_that_has_one_connection_alone_publishes_everything_once(
    postgresql_url: str, clock: VirtualClock, broker: RecordingBroker
) -> None:
    engine = sa.create_engine(postgresql_url, pool_size=1, max_overflow=0, pool_timeout=0.1)
    outbox = Outbox(clock=clock)
    outbox.metadata.create_all(engine)
    add(engine, outbox, b"1", b"2", b"3")

    async def story() -> None:
        async for relay in using(Relay(outbox, engine, broker, settings=RelaySettings(batch=1))):
            assert await relay.drain() == 3

    run(story())
    assert broker.bodies == [b"1", b"2", b"3"]
    assert rows(engine, outbox, "relayed") == [(1,)] * 3
    engine.dispose()


def test_a_relay_without_a_broker_says_so(engine: Engine, outbox: Outbox) -> None:
    add(engine, outbox, b"1")

    async def story() -> None:
        async for relay in using(Relay(outbox, engine)):
            with pytest.raises(OutboxError, match="a relay needs a broker"):
                await relay.drain()

    run(story())
