"""Large messages pass through a broker that stays small, and leave nothing behind."""

from __future__ import annotations

import hashlib
import struct
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

import pytest

from tests.conversations import codec
from tests.faults.broker import FaultyBroker, wait_for

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.conversations.line import Channel

MIB: Final = 2**20
#: What a body frame may carry.
MOST: Final = 131_072 - 8
#: Bytes a broker may grow by while a body passes, however large: pieces, buffers and threads' stacks.
GROWTH: Final = 48 * MIB
PERSISTENT: Final[dict[str, Any]] = {"delivery_mode": 2}


def publish_large(channel: Channel, key: str, size: int, seed: int = 0, **properties: Any) -> str:
    """Publish a body of so many bytes without ever having it whole; its digest."""
    line, number = channel.line, channel.number
    header = codec.content_frames(number, properties, b"", frame_max=131_072)
    # The size is the 64-bit number behind the frame's head, the class and the weight.
    header = header[:11] + struct.pack(">Q", size) + header[19:]
    line.send_bytes(codec.method_frame(number, "basic.publish", {"key": key}) + header)
    digest, block, left = hashlib.sha256(), bytes(i * 7 + seed & 255 for i in range(MOST)), size
    while left:
        piece = block[: min(left, MOST)]
        digest.update(piece)
        line.send_bytes(codec.frame(codec.BODY, number, piece))
        left -= len(piece)
    return digest.hexdigest()


def read_large(channel: Channel) -> str:
    """Read the content that comes next, without keeping it; the body's digest."""
    line, digest = channel.line, hashlib.sha256()
    left = None
    while left != 0:
        kind, payload = next_frame(channel)
        if kind == codec.HEADER:
            left = int(struct.unpack_from(">Q", payload, 4)[0])
        elif kind == codec.BODY:
            assert left is not None
            digest.update(payload)
            left -= len(payload)
    assert not line.inbox[channel.number]
    return digest.hexdigest()


def next_frame(channel: Channel) -> tuple[int, bytes]:
    """A frame straight from the socket."""
    head = receive(channel, 7)
    kind, _, size = struct.unpack(">BHL", head)
    payload = receive(channel, size + 1)
    assert payload[-1:] == codec.FRAME_END
    return int(kind), payload[:-1]


def receive(channel: Channel, size: int) -> bytes:
    """Exactly so many bytes, first of all those that the line has read already."""
    line = channel.line
    data = bytes(line._bytes[:size])
    del line._bytes[:size]
    parts, missing = [data], size - len(data)
    while missing:
        part = line.socket.recv(missing)
        assert part, "the broker hung up"
        parts.append(part)
        missing -= len(part)
    return b"".join(parts)


def has_contents(folder: Path) -> bool:
    return any((folder / "contents").iterdir())


def pass_through(broker: FaultyBroker, size: int, **properties: Any) -> None:
    broker.forget_peak()
    before = broker.resident()
    with broker.channel() as producer, broker.channel() as consumer:
        for channel in (producer, consumer):
            channel.line.socket.settimeout(60)
        producer.call("queue.declare", queue="large", durable=True)
        producer.call("confirm.select")
        sent = publish_large(producer, "large", size, **properties)
        assert producer.wait_for("basic.ack").delivery == 1
        consumer.send("basic.get", queue="large")
        assert read_large(consumer) == sent
        consumer.send("basic.ack", delivery=1)
        assert consumer.is_still_open()
    assert broker.peak() - before < GROWTH
    wait_for(lambda: not has_contents(broker.data), "the end of the content file")


@pytest.mark.parametrize("properties", [{}, PERSISTENT], ids=["transient", "persistent"])
def test_a_large_message_passes_through_little_memory(
    broker: FaultyBroker, properties: dict[str, Any]
) -> None:
    pass_through(broker, 96 * MIB, **properties)


@pytest.mark.soak
@pytest.mark.parametrize("properties", [{}, PERSISTENT], ids=["transient", "persistent"])
def test_two_gibibytes_pass_through_little_memory(
    broker_with: Callable[..., FaultyBroker], properties: dict[str, Any]
) -> None:
    broker = broker_with("--max-message-bytes", "3GiB")
    pass_through(broker, 2**31, **properties)
    assert broker.peak() < 200 * MIB


def test_a_large_message_survives_a_kill(broker: FaultyBroker) -> None:
    with broker.channel() as channel:
        channel.call("queue.declare", queue="large", durable=True)
        channel.call("confirm.select")
        sent = [publish_large(channel, "large", 300_000, seed, **PERSISTENT) for seed in range(3)]
        while channel.wait_for("basic.ack").delivery < 3:
            pass
    broker.kill()
    broker.start()
    with broker.channel() as channel:
        channel.consume("large")
        assert [read_large(channel) for _ in sent] == sent
        channel.send("basic.ack", delivery=3, multiple=True)
        assert channel.count("large") == 0
    wait_for(lambda: not has_contents(broker.data), "the end of the content files")


def test_several_consumers_read_the_same_large_message(broker: FaultyBroker) -> None:
    with broker.channel() as producer, broker.channel() as one, broker.channel() as two:
        for channel in (one, two):
            queue = channel.queue()
            channel.bind(queue, "amq.fanout")
            channel.consume(queue, no_ack=True)
        producer.send("exchange.declare", exchange="amq.fanout", type="fanout", passive=True)
        sent = publish_large_to(producer, "amq.fanout", 3 * MIB)
        assert [read_large(one), read_large(two)] == [sent, sent]
    wait_for(lambda: not has_contents(broker.data), "the end of the content file")


def publish_large_to(channel: Channel, exchange: str, size: int) -> str:
    body = bytes(range(256)) * (size // 256)
    channel.publish(body, "", exchange=exchange)
    return hashlib.sha256(body).hexdigest()


def inodes(broker: FaultyBroker) -> set[int]:
    """The content files, whatever they are called."""
    found = set()
    for file in (broker.data / "contents").iterdir():
        with suppress(FileNotFoundError):
            found.add(file.stat().st_ino)
    return found


def test_a_large_dead_letter_is_the_same_file(broker: FaultyBroker) -> None:
    with broker.channel() as channel:
        channel.call("queue.declare", queue="dead", durable=True)
        home = {"x-dead-letter-exchange": "", "x-dead-letter-routing-key": "dead"}
        channel.call("queue.declare", queue="large", durable=True, arguments=home)
        channel.call("confirm.select")
        sent = publish_large(channel, "large", 200_000, **PERSISTENT)
        channel.wait_for("basic.ack")
        channel.send("basic.get", queue="large")
        assert read_large(channel) == sent
        files = inodes(broker)
        channel.send("basic.reject", delivery=1)
        channel.wait_for_count("dead", 1)
        # For a moment the old name and the new one may both be there, or one go while we look.
        wait_for(lambda: inodes(broker) == files, "the same file under another name")
    broker.stop()
    broker.start()
    with broker.channel() as channel:
        channel.send("basic.get", queue="dead", no_ack=True)
        assert read_large(channel) == sent
    wait_for(lambda: not has_contents(broker.data), "the end of the content file")


def test_half_a_large_message_leaves_nothing_behind(broker: FaultyBroker) -> None:
    with broker.channel() as channel:
        queue = channel.queue()
        header = codec.content_frames(1, {}, b"", frame_max=131_072)
        header = header[:11] + struct.pack(">Q", 100 * MIB) + header[19:]
        channel.line.send_bytes(codec.method_frame(1, "basic.publish", {"key": queue}) + header)
        for _ in range(20):
            channel.line.send_bytes(codec.frame(codec.BODY, 1, bytes(MOST)))
        wait_for(lambda: has_contents(broker.data), "the beginning of the content file")
    wait_for(lambda: not has_contents(broker.data), "the end of the content file")


def test_what_follows_a_large_message_keeps_its_order(broker: FaultyBroker) -> None:
    with broker.channel() as channel:
        queue = channel.queue()
        channel.consume(queue, no_ack=True)
        for number in range(20):
            channel.publish(bytes([number]) * (1 if number % 3 else 150_000), queue)
        bodies = [channel.delivery().body for _ in range(20)]
        assert [body[0] for body in bodies] == list(range(20))
        assert [len(body) for body in bodies] == [1 if number % 3 else 150_000 for number in range(20)]


def test_a_consumer_may_go_away_in_the_middle(broker: FaultyBroker) -> None:
    with broker.channel() as channel:
        channel.call("queue.declare", queue="large")
        sent = publish_large(channel, "large", 20 * MIB)
        channel.wait_for_count("large", 1)
        with broker.channel() as leaver:
            leaver.send("basic.get", queue="large")
            assert next_frame(leaver)[0] == codec.METHOD
            receive(leaver, MIB)
        channel.wait_for_count("large", 1)
        channel.send("basic.get", queue="large", no_ack=True)
        assert read_large(channel) == sent
    wait_for(lambda: not has_contents(broker.data), "the end of the content file")


def test_a_memory_broker_does_not_keep_bodies_in_memory(broker_with: Callable[..., FaultyBroker]) -> None:
    broker = broker_with("--data", "none")
    broker.forget_peak()
    before = broker.resident()
    with broker.channel() as channel:
        channel.line.socket.settimeout(60)
        queue = channel.queue()
        sent = publish_large(channel, queue, 96 * MIB)
        channel.send("basic.get", queue=queue, no_ack=True)
        assert read_large(channel) == sent
    assert broker.peak() - before < GROWTH
