"""Clients that want everything there is: channels, files, bodies, answers. Memory stays bounded."""

from __future__ import annotations

import resource
import socket
import struct
import threading
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, Final

import pytest

from tests.conversations import codec
from tests.conversations.line import PREAMBLE, HungUp
from tests.faults.broker import FaultyBroker, wait_for
from tests.faults.test_clients import MOST, flood, works
from tests.faults.test_large import has_contents

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.conversations.line import Line

MIB: Final = 2**20
#: AMQP 0-9-1: a channel has a number of two bytes, and 0 is the connection itself.
ALL: Final = range(1, 65_536)
OPEN_OK: Final = len(codec.method_frame(1, "channel.open-ok", {}))


def exchange(line: Line, said: bytes, heard: int) -> bytes:
    """Say it all while reading, until so many bytes were heard."""
    sender = line.socket.dup()
    sender.settimeout(60)
    line.socket.settimeout(60)
    talk = threading.Thread(target=sender.sendall, args=[said])
    talk.start()
    parts, missing = [], heard
    while missing > 0:
        part = line.socket.recv(min(missing, MIB))
        assert part, "the broker hung up"
        parts.append(part)
        missing -= len(part)
    talk.join()
    sender.close()
    return b"".join(parts)


# Channels


def test_all_channels_there_are_may_be_open(broker_with: Callable[..., FaultyBroker]) -> None:
    broker = broker_with("--channel-max", "65535")
    before = broker.resident()
    with broker.line(channel_max=65_535) as line:
        opened = b"".join(codec.method_frame(number, "channel.open", {}) for number in ALL)
        exchange(line, opened, OPEN_OK * len(ALL))
        assert works(broker)
        # Each is as good as any other.
        asked = [codec.method_frame(number, "channel.flow", {"active": True}) for number in (1, 65_535)]
        told = [codec.method_frame(number, "channel.flow-ok", {"active": True}) for number in (1, 65_535)]
        assert exchange(line, b"".join(asked), len(b"".join(told))) == b"".join(told)
        assert broker.resident() - before < 4 * MOST
    assert works(broker)


def test_all_channels_there_are_may_fail(broker: FaultyBroker) -> None:
    """A channel that failed is skipped until the client agrees, which it never does."""
    close = {"code": 406, "text": "PRECONDITION_FAILED - unknown delivery tag 99"}
    close |= {"failing_class": 60, "failing_method": 80}
    told = OPEN_OK + len(codec.method_frame(1, "channel.close", close))
    with broker.line() as line:
        asked = b"".join(
            codec.method_frame(number, "channel.open", {})
            + codec.method_frame(number, "basic.ack", {"delivery": 99})
            for number in ALL
        )
        heard = exchange(line, asked, told * len(ALL))
        assert heard[-told:].endswith(codec.method_frame(65_535, "channel.close", close))
        assert works(broker)


# Bodies and answers


def begin_body(number: int, size: int, piece: bytes) -> bytes:
    header = codec.content_frames(number, {}, b"", frame_max=131_072)
    header = header[:11] + struct.pack(">Q", size) + header[19:]
    publish = codec.method_frame(number, "basic.publish", {"key": "nowhere"})
    return publish + header + codec.frame(codec.BODY, number, piece)


def test_a_large_body_may_begin_on_every_channel(broker: FaultyBroker) -> None:
    with broker.line() as line:
        line.socket.settimeout(60)
        channels = [line.channel() for _ in range(1000)]
        broker.forget_peak()
        before, files = broker.resident(), broker.files()
        for channel in channels:
            line.send_bytes(begin_body(channel.number, 100 * MIB, bytes(130_000)))
        for channel in channels:
            line.send_bytes(codec.frame(codec.BODY, channel.number, bytes(60_000)))
        assert works(broker)
        assert broker.peak() - before < MOST
        assert broker.files() < files + 20
    wait_for(lambda: not has_contents(broker.data), "the end of the content files")


@pytest.mark.parametrize("how", ["basic.get", "basic.consume"])
def test_who_wants_all_of_a_full_queue_and_reads_nothing_costs_little(broker: FaultyBroker, how: str) -> None:
    count, size = 3_000, 60_000
    with broker.channel() as channel:
        channel.line.socket.settimeout(60)
        channel.call("queue.declare", queue="full", durable=True)
        for _ in range(count):
            channel.publish(bytes(size), "full", delivery_mode=2)
        assert channel.count("full") == count
    # A new life, so that all of it is on disk and nothing in memory
    broker.stop()
    broker.start()
    broker.forget_peak()
    before = broker.resident()
    with broker.channel() as greedy:
        arguments: dict[str, Any] = {"queue": "full"}
        greedy.line.send_bytes(codec.method_frame(1, how, arguments) * (count if how == "basic.get" else 1))
        for _ in range(10):
            assert works(broker)
        assert broker.peak() - before < MOST


def test_a_durable_queue_of_large_messages_waits_on_disk(broker: FaultyBroker) -> None:
    with broker.channel() as channel:
        channel.line.socket.settimeout(60)
        channel.call("queue.declare", queue="deep", durable=True)
        channel.call("confirm.select")
        before = broker.resident()
        for number in range(1, 3_001):
            channel.publish(b"%d " % number + bytes(60_000), "deep", delivery_mode=2)
            while number % 50 == 0 and channel.wait_for("basic.ack").delivery < number:
                pass
        # 180 MB wait, of which a window of 64 MiB stands in memory.
        assert broker.resident() - before < 2 * MOST
        channel.consume("deep", no_ack=True)
        assert [int(channel.delivery().body.split()[0]) for _ in range(3_000)] == list(range(1, 3_001))


@pytest.mark.parametrize("mode", [1, 2], ids=["transient", "persistent"])
def test_a_publisher_that_was_blocked_goes_on_when_there_is_room(
    broker_with: Callable[..., FaultyBroker], mode: int
) -> None:
    broker = broker_with("--memory-limit", "150MiB")
    with broker.channel() as publisher, broker.channel() as other:
        publisher.call("queue.declare", queue="flood", durable=True)
        message = codec.method_frame(1, "basic.publish", {"key": "flood"})
        message += codec.content_frames(1, {"delivery_mode": mode}, bytes(60_000), frame_max=131_072)
        flood(publisher.line, message)
        assert publisher.line.expect("connection.blocked").reason == "low on memory"
        assert broker.resident() < 300 * MIB
        # Freed memory counts at once, though the allocator would like to keep it.
        other.ask("queue.purge", queue="flood")
        wait_for(lambda: "publishers go on" in broker.log, "the end of the alarm")
        assert works(broker)


# Files


def test_more_connections_than_files_are_turned_away(broker: FaultyBroker) -> None:
    assert broker.running is not None
    place = (broker.running.host, broker.running.port)
    with ExitStack() as opened, broker.channel() as channel:
        channel.call("queue.declare", queue="kept", durable=True)
        _, hard = resource.prlimit(broker.pid, resource.RLIMIT_NOFILE)
        resource.prlimit(broker.pid, resource.RLIMIT_NOFILE, (broker.files() + 20, hard))
        lines = [opened.enter_context(socket.create_connection(place, timeout=30)) for _ in range(60)]
        greeted = sum(is_greeted(line) for line in lines)
        assert 10 < greeted < 60
        # Who was there before is served as ever.
        channel.publish_safely("kept", "kept", delivery_mode=2)
        assert channel.get("kept").body == b"kept"
    wait_for(lambda: works_again(broker), "room for new connections")


def is_greeted(line: socket.socket) -> bool:
    try:
        line.sendall(PREAMBLE)
        return bool(line.recv(100))
    except ConnectionError:
        return False


def works_again(broker: FaultyBroker) -> bool:
    try:
        return works(broker)
    except (OSError, HungUp):
        return False
