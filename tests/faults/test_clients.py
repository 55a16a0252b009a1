"""Clients that misbehave: the others do not notice, and memory stays bounded."""

from __future__ import annotations

import socket
import time
from contextlib import ExitStack, suppress
from typing import TYPE_CHECKING, Final

import pytest

from tests.conversations import codec
from tests.conversations.line import PREAMBLE, HungUp, Line
from tests.faults.broker import PATIENCE_S, FaultyBroker, wait_for

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


MIB: Final = 2**20
#: Bytes of memory that a client's bad manners may cost at most.
MOST: Final = 64 * MIB


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FaultyBroker]:
    """One for all of them: that it has met the others before makes no difference."""
    with FaultyBroker(tmp_path_factory.mktemp("clients")) as broker:
        broker.start()
        yield broker


def works(broker: FaultyBroker) -> bool:
    """Whether somebody else is served."""
    with broker.channel() as channel:
        queue = channel.queue()
        channel.publish("hello", queue)
        return bool(channel.get_soon(queue).body == b"hello")


def ends(line: Line) -> bool:
    """Whether the broker closes the socket."""
    try:
        while line.read(until=time.monotonic() + PATIENCE_S):
            pass
    except HungUp:
        return True
    return False


def push(line: Line, data: bytes, *, within: float) -> None:
    """Send it all.

    Raises:
        TimeoutError: for so many seconds, the broker has taken nothing of what is left.
    """
    left = memoryview(data)
    while left:
        line.socket.settimeout(within)
        left = left[line.socket.send(left) :]


def flood(line: Line, message: bytes) -> None:
    """Send a message again and again until the broker says that it takes no more."""
    many, left = message * 100, memoryview(b"")
    until = time.monotonic() + PATIENCE_S
    while not any(said.name == "connection.blocked" for said in line.inbox[0]):
        assert time.monotonic() < until, "the broker takes everything"
        left = left or memoryview(many)
        line.socket.settimeout(0.1)
        with suppress(TimeoutError):
            left = left[line.socket.send(left) :]
        line.read(until=time.monotonic())


# Who does not read


def fill_up(broker: FaultyBroker, queue: str, count: int, size: int) -> None:
    with broker.channel() as channel:
        for _ in range(count):
            channel.publish(bytes(size), queue)
        assert channel.is_still_open()


def test_a_consumer_that_never_reads_costs_little_and_disturbs_nobody(broker: FaultyBroker) -> None:
    with broker.channel() as sleeper, broker.channel() as other:
        queue = sleeper.queue("never-read", exclusive=False)
        sleeper.consume(queue, no_ack=True)
        fill_up(broker, queue, 20_000, 1_000)
        # Most of it stays in the queue, for somebody who reads.
        assert other.count(queue) > 10_000
        other.consume(queue, no_ack=True)
        assert len(other.delivery().body) == 1_000
        assert works(broker)


def test_a_consumer_that_never_reads_is_closed_if_there_are_heartbeats(broker: FaultyBroker) -> None:
    with broker.channel(heartbeat=1) as sleeper, broker.channel() as other:
        queue = sleeper.queue("stuck", exclusive=False)
        sleeper.consume(queue)
        # Enough for all buffers between the two.
        fill_up(broker, queue, 9_000, 1_000)
        wait_for(lambda: beats_in_vain(sleeper.line), "the end of a consumer that beats and does not read")
        wait_for(lambda: other.count(queue) == 9_000, "the return of what it had in hand")


def beats_in_vain(line: Line) -> bool:
    try:
        line.send_heartbeat()
    except OSError:
        return True
    time.sleep(0.2)
    return False


def test_who_asks_and_never_reads_is_not_read_from(broker: FaultyBroker) -> None:
    with broker.channel() as channel:
        before = broker.resident()
        queue = channel.queue("q" * 250)
        ask = codec.method_frame(1, "queue.declare", {"queue": queue, "passive": True}) * 500
        with pytest.raises(TimeoutError):
            push(channel.line, ask * 2_000, within=2)
        assert broker.resident() - before < MOST
        assert works(broker)


# Who says nothing, or nonsense


@pytest.mark.parametrize("said", [b"", b"AMQP", PREAMBLE], ids=["nothing", "half a header", "a header"])
def test_a_connection_that_does_not_introduce_itself_is_closed(
    broker_with: Callable[..., FaultyBroker], said: bytes
) -> None:
    broker = broker_with("--handshake-timeout", "300ms")
    assert broker.running is not None
    with Line(broker.running) as line:
        with suppress(OSError):  # it was faster
            line.send_bytes(said)
        assert ends(line)


GARBAGE: Final = (
    bytes(100_000),
    b"\xff" * 100_000,
    b"GET / HTTP/1.1\r\n\r\n",
    PREAMBLE + bytes(100),
    PREAMBLE + codec.frame(1, 0, b"\xff" * 1000),
    PREAMBLE + b"\x01\x00\x00\xff\xff\xff\xff\x00",  # a frame without end
)


def test_garbage_ends_its_connection_only(broker: FaultyBroker) -> None:
    assert broker.running is not None
    place = (broker.running.host, broker.running.port)
    with ExitStack() as opened:
        lines = [opened.enter_context(socket.create_connection(place, timeout=30)) for _ in GARBAGE]
        for line, garbage in zip(lines, GARBAGE, strict=True):
            with suppress(ConnectionError):
                line.sendall(garbage)
        assert works(broker)
        for line in lines:
            with suppress(ConnectionError):
                while line.recv(65_536):
                    pass


def conversation() -> bytes:
    """What a client says from its first byte to a publish and an ack of nothing."""
    start_ok = {"about": {}, "mechanism": "PLAIN", "response": b"\0guest\0guest", "locale": "en_US"}
    tune_ok = {"channel_max": 10, "frame_max": 131_072, "heartbeat": 0}
    return b"".join(
        (
            PREAMBLE,
            codec.method_frame(0, "connection.start-ok", start_ok),
            codec.method_frame(0, "connection.tune-ok", tune_ok),
            codec.method_frame(0, "connection.open", {"vhost": "/"}),
            codec.method_frame(1, "channel.open", {}),
            codec.method_frame(1, "queue.declare", {"queue": "", "exclusive": True}),
            codec.method_frame(1, "basic.publish", {"key": "nowhere"}),
            codec.content_frames(1, {"headers": {"a": 1}}, b"body", frame_max=4096),
            codec.method_frame(1, "basic.ack", {"delivery": 1}),
        )
    )


def test_a_conversation_may_be_cut_anywhere(broker: FaultyBroker) -> None:
    assert broker.running is not None
    said = conversation()
    for end in range(0, len(said), 3):
        with socket.create_connection((broker.running.host, broker.running.port)) as line:
            line.sendall(said[:end])
    assert works(broker)
    wait_for(lambda: broker.files() < 40, "the end of all those connections")
    assert "internal error" not in broker.log


def test_a_conversation_may_have_any_byte_wrong(broker: FaultyBroker) -> None:
    assert broker.running is not None
    said = conversation()
    for at in range(8, len(said), 2):
        wrong = said[:at] + bytes([said[at] ^ 0x55]) + said[at + 1 :]
        with socket.create_connection((broker.running.host, broker.running.port)) as line:
            line.sendall(wrong)
    assert works(broker)
    assert "internal error" not in broker.log


# Too much of everything


def nested(depth: int) -> bytes:
    """The bytes of a table in a table, and so on."""
    table = b""
    for _ in range(depth):
        table = b"\x01aF" + len(table).to_bytes(4, "big") + table
    return table


@pytest.mark.parametrize("depth", [200, 10_000])
def test_tables_within_tables_end_in_an_error(broker: FaultyBroker, depth: int) -> None:
    with broker.channel() as channel:
        channel.send("queue.declare", queue="deep", arguments=nested(depth))
        assert channel.line.closed_by_broker()[0] in (501, 502)
    assert works(broker)


def test_a_huge_table_is_bounded_by_its_frame(broker: FaultyBroker) -> None:
    with broker.channel() as channel:
        before = broker.resident()
        headers = {f"header-{number}": "x" * 20 for number in range(3_000)}
        queue = channel.queue()
        for number in range(50):
            channel.publish("hello", queue, headers={**headers, "number": number})
        assert channel.count(queue) == 50
        assert broker.resident() - before < MOST
    assert works(broker)


def test_all_channels_there_are_may_be_asked_for_in_vain(broker: FaultyBroker) -> None:
    with broker.line() as line:
        asked = (codec.method_frame(number, "channel.open", {}) for number in range(1, 65_536))
        with suppress(OSError):
            line.send_bytes(b"".join(asked))
        assert line.ending() in (530, "hung up")
        assert max(line.inbox) == 2047
    assert works(broker)


def test_thousands_of_channels_queues_and_consumers_on_one_connection(broker: FaultyBroker) -> None:
    with broker.line() as line:
        channels = [line.channel() for _ in range(500)]
        for channel in channels:
            for _ in range(4):
                channel.send("queue.declare", queue="", exclusive=True, nowait=True)
                channel.send("basic.consume", queue="", nowait=True)
        assert all(channel.is_still_open() for channel in channels)
        assert works(broker)
    assert works(broker)


def test_a_flood_of_connections_is_limited(broker_with: Callable[..., FaultyBroker]) -> None:
    broker = broker_with("--max-connections", "20")
    assert broker.running is not None
    with ExitStack() as opened:
        first = opened.enter_context(broker.channel())
        lines = [opened.enter_context(Line(broker.running)) for _ in range(100)]
        refused = [line for line in lines if hangs_up_at_once(line)]
        assert len(refused) == 81
        assert first.is_still_open()
    wait_for(lambda: works_again(broker), "room for new connections")


def hangs_up_at_once(line: Line) -> bool:
    try:
        line.greet()
    except (HungUp, OSError):
        return True
    return False


def works_again(broker: FaultyBroker) -> bool:
    try:
        return works(broker)
    except (HungUp, OSError):
        return False


def test_a_publisher_that_never_stops_does_not_starve_the_others(broker: FaultyBroker) -> None:
    with broker.channel() as publisher:
        queue = publisher.queue("flood", arguments={"x-max-length": 1000})
        message = codec.method_frame(1, "basic.publish", {"key": queue})
        message += codec.content_frames(1, {}, bytes(100), frame_max=4096)
        before = broker.resident()
        for _ in range(20):
            publisher.line.send_bytes(message * 5_000)
            assert works(broker)
        assert publisher.count(queue) <= 1000
        assert broker.resident() - before < MOST


def test_what_follows_a_failure_in_the_same_read_is_skipped(broker: FaultyBroker) -> None:
    with broker.channel() as channel:
        queue = channel.queue("skipped", exclusive=False)
        publish = codec.method_frame(1, "basic.publish", {"key": queue})
        publish += codec.content_frames(1, {}, b"late", frame_max=4096)
        channel.line.send_bytes(
            codec.method_frame(1, "basic.ack", {"delivery": 99})
            + publish
            + codec.method_frame(1, "basic.consume", {"queue": queue, "tag": "late"})
            + codec.method_frame(1, "channel.open", {})
        )
        assert channel.closed_by_broker()[0] == 406
        again = channel.line.channel()
        assert again.count(queue) == 0
        assert again.ask("queue.declare", queue=queue, passive=True).consumers == 0


def test_what_a_failed_channel_had_comes_to_the_others_only(broker: FaultyBroker) -> None:
    with broker.channel() as channel, broker.channel() as other:
        queue = channel.queue("handed-over", exclusive=False)
        channel.consume(queue)
        # The failure and the message are in one read: it must not be delivered to the consumer that ended.
        second = channel.line.channel()
        assert second.number == 2
        channel.line.send_bytes(
            codec.method_frame(2, "basic.publish", {"key": queue})
            + codec.content_frames(2, {}, b"one", frame_max=4096)
            + codec.method_frame(1, "basic.ack", {"delivery": 99})
        )
        assert channel.closed_by_broker()[0] == 406
        assert other.get_soon(queue).body == b"one"


def test_a_publisher_that_never_stops_is_blocked_before_memory_runs_out(
    broker_with: Callable[..., FaultyBroker],
) -> None:
    broker = broker_with("--memory-limit", "150MiB")
    with broker.channel() as publisher, broker.channel() as consumer:
        queue = publisher.queue("flood", exclusive=False)
        message = codec.method_frame(1, "basic.publish", {"key": queue})
        message += codec.content_frames(1, {}, bytes(1000), frame_max=4096)
        flood(publisher.line, message)
        assert broker.resident() < 300 * MIB
        # Whoever does not publish goes on, and by consuming makes room.
        consumer.ask("basic.qos", prefetch_count=1000)
        consumer.consume(queue)
        for _ in range(20_000):
            tag = consumer.delivery().delivery
            if tag % 500 == 0:
                consumer.send("basic.ack", delivery=tag, multiple=True)
        assert publisher.line.expect("connection.blocked").reason
