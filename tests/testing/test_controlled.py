from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
import uvloop

from penstock.client import ClientSettings, Outgoing, Queue
from penstock.clock import VirtualClock, sleep
from penstock.errors import PublishLost, StoreLocked
from penstock.messaging.application import Application
from penstock.messaging.events import event
from penstock.messaging.message import Destination, Message
from penstock.messaging.subscriptions import Republish
from penstock.settings import Settings
from penstock.store import SqliteStore
from penstock.testing import ControlledBroker, broker
from penstock.testing.controlled import NEW_YEAR
from penstock.wire.amqp import BasicProperties
from penstock.wire.amqp.methods import BasicAck, BasicConsume
from tests.server.peer import Peer

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from pathlib import Path

    from penstock.client import Delivery

DURABLE = Queue("q", durable=True)


def letter(body: bytes = b"hello", **properties: Any) -> Outgoing:
    return Outgoing("", "q", body, BasicProperties.of(delivery_mode=2, **properties))


@pytest.fixture(params=[asyncio.run, uvloop.run], ids=["asyncio", "uvloop"])
def run(request: pytest.FixtureRequest) -> Callable[[Coroutine[Any, Any, None]], None]:
    runner: Callable[[Coroutine[Any, Any, None]], None] = request.param
    return runner


@pytest.fixture(params=["memory", "disk"])
def data(request: pytest.FixtureRequest, tmp_path: Path) -> Path | None:
    """Where the broker keeps what is to survive."""
    return None if request.param == "memory" else tmp_path / "data"


# Time


def test_three_days_pass_in_no_time(run: Callable[[Coroutine[Any, Any, None]], None]) -> None:
    async def story() -> None:
        async with broker() as controlled:
            client = await controlled.connect()
            await client.declare(DURABLE)
            await client.publish(letter(headers={"x-delay": 3 * 86_400_000}))
            assert controlled.queue("q").count("delayed") == 1
            await controlled.advance("2 days 23 hours 59 min")
            assert controlled.queue("q").count("delayed") == 1
            await controlled.advance("1 min")
            assert controlled.queue("q").count("ready") == 1
            assert controlled.clock.now() == NEW_YEAR + 3 * 86_400
            assert repr(controlled) == "<ControlledBroker, 2 connections, <VirtualClock 1893715200.000>>"

    run(story())


def test_a_chain_of_timers_runs_through_in_one_go() -> None:
    # Given a queue whose messages die after an hour into one whose messages die after a day, and a
    # consumer at the end that sends them on with a delay of a week
    async def story() -> None:
        async with broker() as controlled:
            peer = await Peer.enter(controlled.dial)
            home = {"x-dead-letter-exchange": ""}
            await peer.declare(
                "hour", **home, **{"x-message-ttl": 3_600_000, "x-dead-letter-routing-key": "day"}
            )
            await peer.declare(
                "day", **home, **{"x-message-ttl": 86_400_000, "x-dead-letter-routing-key": "in"}
            )
            await peer.declare("in")
            client = await controlled.connect()
            await client.declare(DURABLE)
            arrived: list[float] = []

            async def handle(delivery: Delivery) -> None:
                await sleep(client.clock, 60)
                arrived.append(client.clock.now() - NEW_YEAR)
                await client.publish(letter(headers={"x-delay": 7 * 86_400_000}))
                delivery.ack()

            def receive(deliveries: list[Delivery]) -> None:
                tasks.extend(asyncio.ensure_future(handle(each)) for each in deliveries)

            tasks: list[asyncio.Future[None]] = []
            await client.consume("in", receive)
            peer.publish("hour", b"hello")
            # When more time passes than all of it takes
            await controlled.advance("9 days")
            # Then each part of it happened at its time
            assert arrived == [3600 + 86_400 + 60]
            assert [task.done() for task in tasks] == [True]
            assert controlled.queue("q").count("ready") == 1

    asyncio.run(story())


def test_a_poll_rings_at_each_of_its_times_or_once_a_step() -> None:
    async def story() -> None:
        async with broker() as controlled:
            rung: list[float] = []

            async def poll() -> None:
                while True:
                    await sleep(controlled.clock, 1)
                    rung.append(controlled.clock.now() - NEW_YEAR)

            polling = asyncio.create_task(poll())
            await controlled.advance("3 s")
            assert rung == [1, 2, 3]
            await controlled.advance("1 hour", step="20 min")
            assert rung[3:] == [1203, 2403, 3603]
            polling.cancel()

    asyncio.run(story())


def test_a_handler_that_waits_for_the_clock_does_not_stop_it() -> None:
    async def story() -> None:
        async with broker(patience=0.05) as controlled:

            class Handler:
                is_busy = True

                async def handle(self) -> None:
                    await sleep(controlled.clock, 5)
                    self.is_busy = False

            handler = Handler()
            controlled.watch(handler)
            task = asyncio.create_task(handler.handle())
            with pytest.raises(TimeoutError, match="is_busy"):
                await controlled.settled(0.05)
            await controlled.advance(5)
            assert task.done()
            await controlled.settled()

    asyncio.run(story())


def test_what_is_due_already_needs_no_time_to_pass() -> None:
    async def story() -> None:
        async with broker() as controlled:
            task = asyncio.create_task(sleep(controlled.clock, 0))
            await controlled.settled()
            assert task.done()

    asyncio.run(story())


# Clients


def test_the_port_of_an_application_goes_by_the_same_clock() -> None:
    async def story() -> None:
        async with broker() as controlled:
            port = await controlled.port(ClientSettings(name="shop"))
            await port.client.declare(DURABLE)
            await port.publish(Message(body=b"{}", delay=60), Destination("", "q"))
            assert port.clock is controlled.clock
            await controlled.advance("1 min")
            assert controlled.queue("q").count("ready") == 1

    asyncio.run(story())


@event("Ordered")
class Ordered(msgspec.Struct):
    number: int


def test_an_applications_retries_and_delays_take_no_time() -> None:
    async def story() -> None:
        async with broker() as controlled:
            app = Application("shop", broker=await controlled.port())
            controlled.watch(app)
            tries: list[int] = []
            in_threads: list[int] = []

            @app.consumer(Ordered, retry=Republish(attempts=3, defer=3600))
            async def bill(ordered: Ordered) -> None:
                tries.append(int(controlled.clock.now() - NEW_YEAR))
                if len(tries) < 3:
                    raise OSError("the till is closed")

            @app.consumer(Ordered)
            def archive(ordered: Ordered) -> None:
                # Nothing of what a thread does can be seen from the loop.
                time.sleep(0.05)
                in_threads.append(ordered.number)

            async with app:
                await app.publish(Ordered(1))
                await controlled.settled()
                assert (tries, in_threads) == ([0], [1])
                await controlled.advance("1 day")
                assert tries == [0, 3600, 7200]
                await app.publish(Ordered(2), delay=86_400)
                await controlled.advance("1 day")
                assert (len(tries), in_threads) == (4, [1, 2])
                assert controlled.queue("shop.dead-letters").depth == 0

    asyncio.run(story())


def test_a_clock_of_ones_own_can_be_given() -> None:
    clock = VirtualClock(1000.0)

    async def story() -> None:
        async with broker(clock=clock) as controlled:
            await controlled.advance("1 s")

    asyncio.run(story())
    assert clock.now() == 1001.0


def test_clients_of_other_kinds_can_come_by_tcp() -> None:
    async def story() -> None:
        async with broker() as controlled:
            (url,) = await controlled.embedded.listen()
            loop = asyncio.get_running_loop()
            port = int(url.rpartition(":")[2])
            peer = await Peer.enter(lambda factory: loop.create_connection(factory, "127.0.0.1", port))
            await peer.declare("q")
            await controlled.settled()
            await peer.leave()

    asyncio.run(story())


def test_what_a_client_has_in_hand_does_not_delay_the_end() -> None:
    async def story() -> None:
        async with broker() as controlled:
            client = await controlled.connect(ClientSettings(close_timeout=3600))
            await client.declare(DURABLE)
            await client.publish(letter())
            await client.consume("q", lambda _deliveries: None)
            await controlled.settled()
            assert controlled.queue("q").count("held") == 1

    asyncio.run(story())


# Faults


def test_a_cut_takes_connections_and_nothing_else() -> None:
    async def story() -> None:
        async with broker() as controlled:
            client = await controlled.connect()
            got: list[Delivery] = []
            await client.declare(Queue("q", durable=False))
            await client.consume("q", got.extend)
            await client.publish(letter(b"kept in memory"))
            await controlled.settled()
            controlled.cut()
            await controlled.settled()
            assert not client.is_connected
            # The client's backoff is the clock's to end.
            await controlled.advance("10 s")
            assert client.is_connected
            assert [delivery.redelivered for delivery in got] == [False, True]

    asyncio.run(story())


def test_a_crash_takes_what_is_not_written(data: Path | None) -> None:
    async def story() -> None:
        async with broker(data=data) as controlled:
            client = await controlled.connect()
            await client.declare(DURABLE)
            await client.publish(letter(b"kept"))
            await client.publish(Outgoing("", "q", b"lost", BasicProperties.of()))
            before = controlled.embedded
            await controlled.crash()
            assert controlled.embedded is not before
            assert controlled.queue("q").bodies == [b"kept"]
            await controlled.advance("10 s")
            assert client.is_connected
            await client.publish(letter(b"after"))
            assert controlled.queue("q").bodies == [b"kept", b"after"]

    asyncio.run(story())


@pytest.mark.parametrize(
    ("point", "bodies"),
    [("received", []), ("commit", []), ("committed", [b"hello"]), ("told", [b"hello"])],
)
def test_a_crash_between_two_steps_leaves_what_was_written(
    data: Path | None, point: str, bodies: list[bytes]
) -> None:
    async def story() -> None:
        async with broker(data=data) as controlled:
            peer = await Peer.enter(controlled.dial)
            await peer.declare("q")
            await controlled.settled()
            with controlled.crash_at(point) as trap:
                peer.publish("q", b"hello")
                await controlled.settled()
            assert trap.has_sprung
            # Whatever was written: nobody was told, and everybody is gone.
            assert peer.lost.is_set()
            assert peer.confirmed == 0
            assert controlled.queue("q").bodies == bodies
            assert not controlled.embedded.front.sessions

    asyncio.run(story())


def test_a_client_is_told_that_a_publish_may_be_lost() -> None:
    async def story() -> None:
        async with broker() as controlled:
            client = await controlled.connect()
            await client.declare(DURABLE)
            await client.publish(letter())
            await controlled.settled()
            with controlled.cut_at("commit") as trap, pytest.raises(PublishLost):
                await client.publish(letter(b"perhaps"))
            assert trap.has_sprung
            await controlled.settled()
            # It was, however, only the answer that was lost.
            assert controlled.queue("q").bodies == [b"hello", b"perhaps"]

    asyncio.run(story())


def test_an_outage_lasts_until_the_start(data: Path | None) -> None:
    async def story() -> None:
        async with broker(Settings(data=data, stop_timeout=1)) as controlled:
            client = await controlled.connect()
            await client.declare(DURABLE)
            await client.publish(letter())
            await controlled.stop()
            with pytest.raises(ConnectionRefusedError, match="the broker is stopped"):
                await controlled.dial(Peer)
            await controlled.advance("1 min")
            assert not client.is_connected
            await controlled.start()
            await controlled.advance("1 min")
            assert client.is_connected
            assert controlled.queue("q").bodies == [b"hello"]

    asyncio.run(story())


async def deliver_through_loss(controlled: ControlledBroker, seed: int) -> tuple[set[bytes], int]:
    """Send and take fifty messages over a line that breaks; what arrived, and how often it broke."""
    client = await controlled.connect()
    await client.declare(DURABLE)
    arrived: set[bytes] = set()

    def receive(deliveries: list[Delivery]) -> None:
        for delivery in deliveries:
            arrived.add(bytes(delivery.body))
            delivery.ack()

    await client.consume("q", receive)
    with controlled.lose(0.1, seed=seed):
        for number in range(50):
            await send(controlled, str(number).encode(), client.publish)
    await controlled.advance("1 min")
    return arrived, client.counters.disconnected


async def send(controlled: ControlledBroker, body: bytes, publish: Callable[[Outgoing], Any]) -> None:
    """Publish until it is confirmed."""
    while True:
        sending = asyncio.ensure_future(publish(letter(body)))
        await controlled.advance("10 s")
        if sending.done() and sending.exception() is None:
            return
        sending.cancel()


@pytest.mark.parametrize("seed", range(3))
def test_nothing_is_lost_on_a_line_that_breaks(seed: int) -> None:
    async def story() -> None:
        async with broker() as controlled:
            arrived, breaks = await deliver_through_loss(controlled, seed)
            assert arrived == {str(number).encode() for number in range(50)}
            assert breaks > 0
            assert controlled.queue("q").depth == 0

    asyncio.run(story())


def test_what_fell_due_before_a_crash_is_done_after_it() -> None:
    async def story() -> None:
        async with broker() as controlled:
            peer = await Peer.enter(controlled.dial)
            await peer.declare("q")
            peer.publish("q", b"later", headers={"x-delay": 1000})
            await controlled.advance("1 s")
            await controlled.crash()
            assert controlled.clock.next_at > controlled.clock.now()
            # So the next commit is the next message's.
            peer = await Peer.enter(controlled.dial)
            with controlled.crash_at("committed"):
                peer.publish("q", b"next")
                await controlled.settled()
            assert controlled.queue("q").bodies == [b"later", b"next"]

    asyncio.run(story())


def test_who_dials_while_it_restarts_has_to_wait() -> None:
    async def story() -> None:
        async with broker() as controlled:
            closing = controlled.embedded.close

            async def take_time() -> None:
                await closing()
                await asyncio.sleep(0.05)

            controlled.embedded.close = take_time  # type: ignore[method-assign]
            peer = await Peer.enter(controlled.dial)
            with controlled.crash_at("received"):
                peer.say(BasicAck(1))
                await peer.lost.wait()
            await Peer.enter(controlled.dial)
            assert len(controlled.embedded.front.sessions) == 1

    asyncio.run(story())


def test_a_broker_that_is_killed_twice_at_once_is_dead_once() -> None:
    async def story() -> None:
        async with broker() as controlled:
            peer = await Peer.enter(controlled.dial)
            with controlled.crash_at("received") as first, controlled.crash_at("received") as second:
                peer.say(BasicAck(1))
                await controlled.settled()
            assert first.has_sprung
            assert second.has_sprung
            await (await Peer.enter(controlled.dial)).leave()

    asyncio.run(story())


def test_a_restart_that_fails_is_told(tmp_path: Path) -> None:
    async def story() -> None:
        async with broker(data=tmp_path / "data") as controlled:
            closing = controlled.embedded.close

            async def close_and_be_robbed() -> None:
                await closing()
                thief.append(SqliteStore(tmp_path / "data"))

            thief: list[SqliteStore] = []
            controlled.embedded.close = close_and_be_robbed  # type: ignore[method-assign]
            peer = await Peer.enter(controlled.dial)
            with controlled.crash_at("received"):
                peer.say(BasicAck(1))
                with pytest.raises(StoreLocked):
                    await controlled.settled()
            with pytest.raises(StoreLocked):
                await controlled.crash()
            thief[0].close()

    asyncio.run(story())


def test_what_was_in_hand_comes_again_after_a_crash() -> None:
    async def story() -> None:
        async with broker() as controlled:
            peer = await Peer.enter(controlled.dial)
            await peer.declare("q")
            peer.publish("q", b"one")
            peer.publish("q", b"two")
            peer.say(BasicConsume("q"))
            await controlled.settled()
            peer.say(BasicAck(1))
            await controlled.settled()
            await controlled.crash()
            peer = await Peer.enter(controlled.dial)
            peer.say(BasicConsume("q"))
            await controlled.settled()
            assert peer.delivered == [(1, b"two")]

    asyncio.run(story())
