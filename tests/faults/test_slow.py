"""Clients that are slow, half there, or gone without a word: the others do not notice."""

from __future__ import annotations

import contextlib
import socket
import struct
import threading
import time
from typing import TYPE_CHECKING, Any, Final

import pytest

from tests.conversations import codec
from tests.conversations.line import HungUp
from tests.faults.broker import FaultyBroker, wait_for
from tests.faults.test_clients import MOST, ends, works
from tests.faults.test_large import publish_large, read_large
from tests.server.certified import Authority
from tests.servers.running import HOST, free_port

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.conversations.line import Channel

MIB: Final = 2**20
PERSISTENT: Final[dict[str, Any]] = {"delivery_mode": 2}


def fill_up(broker: FaultyBroker, queue: str, count: int, size: int, **properties: Any) -> None:
    """Numbered messages of so many bytes; all are in the queue when this returns."""
    with broker.channel() as channel:
        channel.line.socket.settimeout(60)
        for number in range(count):
            channel.publish(b"%d " % number + bytes(size), queue, **properties)
        assert channel.is_still_open()


# Slow


def test_a_slow_consumer_gets_everything_in_its_own_time(broker: FaultyBroker) -> None:
    count = 2_000
    with broker.channel() as slow, broker.channel() as fast:
        # Given far more than all buffers between the two hold, on disk
        slow.call("queue.declare", queue="slow", durable=True)
        fill_up(broker, "slow", count, 30_000, **PERSISTENT)
        before = broker.resident()
        slow.line.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 16_384)
        slow.consume("slow", no_ack=True)
        numbers, served = [], 0
        # When somebody reads a little now and then
        for number in range(count):
            numbers.append(int(slow.delivery().body.split(b" ", 1)[0]))
            if number % 100 == 0:
                served += works(broker)
        # Then it has had them all in order, others were served all the time, and it cost little
        assert (numbers, served) == (list(range(count)), count // 100)
        assert broker.resident() - before < MOST
        assert fast.count("slow") == 0


def test_a_slow_consumer_holds_up_no_other_of_the_same_queue(broker: FaultyBroker) -> None:
    with broker.channel() as slow, broker.channel() as fast:
        queue = slow.queue("shared", exclusive=False)
        slow.ask("basic.qos", prefetch_count=10)
        slow.consume(queue)
        fast.consume(queue, no_ack=True)
        fill_up(broker, queue, 3_000, 100)
        # The slow one has ten in hand, and never settles; all others come to the fast one.
        for _ in range(3_000 - 10):
            fast.delivery()
        assert fast.pending(queue) == []


def test_who_takes_a_large_body_and_never_reads_it_costs_little(broker: FaultyBroker) -> None:
    with broker.channel() as producer, broker.channel() as sleeper:
        producer.line.socket.settimeout(60)
        queue = producer.queue("large", exclusive=False)
        sent = publish_large(producer, queue, 64 * MIB)
        producer.wait_for_count(queue, 1)
        before = broker.resident()
        sleeper.send("basic.get", queue=queue)
        producer.wait_for_count(queue, 0)
        for _ in range(5):
            assert works(broker)
        assert broker.resident() - before < MOST
        # When it reads after all, it is all there.
        assert read_large(sleeper) == sent


# Half there


def holding(channel: Channel, queue: str) -> None:
    """Have a message of a queue in hand."""
    channel.publish("in hand", queue)
    assert channel.get_soon(queue, no_ack=False).body == b"in hand"


def close_half(line: socket.socket) -> None:
    line.shutdown(socket.SHUT_WR)


def reset(line: socket.socket) -> None:
    line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    line.close()


@pytest.mark.parametrize("leave", [close_half, reset, socket.socket.close])
def test_what_a_client_had_that_is_gone_goes_back(
    broker: FaultyBroker, leave: Callable[[socket.socket], None]
) -> None:
    with broker.channel() as other, broker.channel() as leaver:
        queue = other.queue("back", exclusive=False)
        holding(leaver, queue)
        leave(leaver.line.socket)
        assert other.get_soon(queue).redelivered
    wait_for(lambda: broker.files() < 40, "the end of its connection")


def test_half_open_connections_end_when_they_do_not_beat(broker: FaultyBroker) -> None:
    """Nobody is there any more to say so: a machine that lost its power, a cable that was pulled."""
    lines = []
    with broker.channel() as other:
        queue = other.queue("back", exclusive=False)
        for _ in range(50):
            lines.append(broker.line(heartbeat=1))
            holding(lines[-1].channel(), queue)
        other.wait_for_count(queue, len(lines))
    for line in lines:
        assert ends(line)
        line.hang_up()
    assert works(broker)


def test_a_half_open_connection_with_much_to_read_ends_too(broker: FaultyBroker) -> None:
    with broker.channel() as other, broker.channel(heartbeat=1) as silent:
        queue = other.queue("back", exclusive=False)
        silent.consume(queue)
        fill_up(broker, queue, 6_000, 2_000)
        # It neither reads nor beats.
        wait_for(lambda: other.count(queue) == 6_000, "the return of what it had in hand")


def test_who_leaves_while_an_alarm_keeps_it_from_being_read_is_noticed(
    broker_with: Callable[..., FaultyBroker],
) -> None:
    broker = broker_with("--memory-limit", "1MiB")
    files = broker.files()
    for _ in range(20):
        with broker.channel(heartbeat=1) as channel:
            channel.publish("into the alarm", "nowhere")
            channel.line.expect("connection.blocked")
    # The broker may have opened one or two of its own since.
    wait_for(lambda: broker.files() < files + 10, "the end of their connections")


@pytest.mark.parametrize("said", [b"", b"\x16\x03\x01"], ids=["nothing", "half a greeting"])
def test_who_does_not_agree_on_tls_is_closed(
    broker_with: Callable[..., FaultyBroker], tmp_path: Path, said: bytes
) -> None:
    certificate, key = Authority(tmp_path).issue("broker")
    port = free_port()
    files = ("--amqps-certificate", str(certificate), "--amqps-key", str(key))
    broker = broker_with("--amqps", f"{HOST}:{port}", *files, "--handshake-timeout", "300ms")
    wait_for(lambda: "is ready" in broker.log, "all listeners")
    with socket.create_connection((HOST, port), timeout=60) as line, contextlib.suppress(ConnectionError):
        line.sendall(said)
        assert line.recv(100) == b""


def test_who_takes_leave_and_does_not_go_is_closed(broker: FaultyBroker) -> None:
    with broker.channel() as channel:
        queue = channel.queue("much", exclusive=False)
        channel.consume(queue, no_ack=True)
        fill_up(broker, queue, 6_000, 2_000)
        # The answer cannot leave: everything before it is still there, and nobody reads.
        channel.line.send("connection.close", code=200, text="", failing_class=0, failing_method=0)
        wait_for(lambda: is_cut(channel.line.socket), "the end of its connection")
    assert works(broker)


def is_cut(line: socket.socket) -> bool:
    """Whether the other side is gone: what we send finds nobody."""
    try:
        line.sendall(codec.frame(codec.HEARTBEAT, 0, b""))
    except OSError:
        return True
    time.sleep(0.1)
    return False


def test_publishers_that_stop_in_the_middle_of_a_frame_wait_alone(broker: FaultyBroker) -> None:
    message = codec.method_frame(1, "basic.publish", {"key": "nowhere"})
    message += codec.content_frames(1, {}, bytes(5_000), frame_max=131_072)
    lines = [broker.line() for _ in range(30)]
    for at, line in enumerate(lines):
        line.channel()
        line.send_bytes(message[: 1 + at * len(message) // len(lines)])
    assert works(broker)
    # Each may go on where it stopped.
    for at, line in enumerate(lines):
        line.send_bytes(message[1 + at * len(message) // len(lines) :])
        line.send("channel.flow", channel=1, active=True)
        line.expect("channel.flow-ok", channel=1)
        line.hang_up()


def test_clients_that_come_and_go_at_once_leave_nothing(broker: FaultyBroker) -> None:
    files = broker.files()

    def come_and_go() -> None:
        for _ in range(40):
            try:
                with broker.channel() as channel:
                    channel.consume(channel.queue())
            except (HungUp, OSError):
                continue

    threads = [threading.Thread(target=come_and_go) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    wait_for(lambda: broker.files() <= files, "the end of all connections")
    assert "internal error" not in broker.log
