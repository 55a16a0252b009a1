"""What is in a message arrives unchanged, be it large, empty or strange."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

import pytest

from tests.conversations import codec
from tests.conversations.codec import Tagged
from tests.conversations.line import dial

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.conversations.line import Channel
    from tests.servers.running import Running


@pytest.mark.parametrize("size", [0, 1, 4087, 4088, 4089, 131_064, 131_065, 1_000_000])
def test_a_body_of_any_size_arrives(channel: Channel, name: str, size: int) -> None:
    queue = channel.queue(name)
    body = hashlib.shake_256(b"body").digest(size)
    channel.publish(body, queue)
    got = channel.get(queue)
    assert got.body == body
    # In as few frames as were agreed; none at all for nothing.
    assert got.pieces == tuple([131_064] * (size // 131_064) + [size % 131_064] * (size % 131_064 > 0))


def test_a_large_message_arrives(channel: Channel, name: str) -> None:
    queue = channel.queue(name)
    body = hashlib.shake_256(b"body").digest(20_000_000)
    channel.publish(body, queue)
    channel.consume(queue)
    assert hashlib.sha256(channel.delivery().body).digest() == hashlib.sha256(body).digest()


def test_a_body_is_cut_as_its_reader_agreed(broker: Running, channel: Channel, name: str) -> None:
    channel.queue(name, exclusive=False, auto_delete=True)
    channel.publish_safely(b"x" * 10_000, name)
    with dial(broker, frame_max=4096) as line:
        assert line.channel().get(name).pieces == (4088, 4088, 1824)


def test_a_body_may_come_in_any_pieces(channel: Channel, name: str) -> None:
    queue = channel.queue(name)
    whole = codec.content_frames(1, {}, b"12345", frame_max=4096)
    header = whole[: -(8 + 5)]
    pieces = b"".join(codec.frame(codec.BODY, 1, piece) for piece in (b"1", b"", b"234", b"5"))
    publish = codec.method_frame(1, "basic.publish", {"key": queue})
    channel.line.send_bytes(publish + header + pieces)
    assert channel.get(queue).body == b"12345"


STRANGE: dict[str, Any] = {
    "bool": Tagged("t", True),  # noqa: FBT003  a field's value
    "int8": Tagged("b", -128),
    "uint8": Tagged("B", 255),
    "int16": Tagged("s", -32_768),
    "uint16": Tagged("u", 65_535),
    "int32": Tagged("I", -(2**31)),
    "uint32": Tagged("i", 2**32 - 1),
    "int64": Tagged("l", -(2**63)),
    "float": Tagged("f", 0.5),
    "double": Tagged("d", 1e300),
    "decimal": Tagged("D", (2, -12_345)),
    "string": Tagged("S", "ünïcödé"),
    "not UTF-8": Tagged("S", b"\xff\xfe"),
    "bytes": Tagged("x", b"\x00\xff"),
    "timestamp": Tagged("T", 1_700_000_000),
    "void": Tagged("V", None),
    "array": Tagged("A", [Tagged("I", 1), Tagged("S", "two"), Tagged("A", [])]),
    "table": Tagged("F", {"inner": Tagged("F", {"most": Tagged("V", None)}), "empty": Tagged("F", {})}),
    "": Tagged("S", "no name"),
    "n" * 255: Tagged("S", "long name"),
    "long": Tagged("S", "x" * 70_000),
}


@pytest.mark.parametrize("field", STRANGE)
def test_a_header_of_any_type_arrives_as_it_left(channel: Channel, name: str, field: str) -> None:
    queue = channel.queue(name)
    headers = {field: STRANGE[field]}
    channel.publish("strange", queue, headers=headers)
    assert channel.get(queue).raw == b"\x20\x00" + codec.write_table(headers)


def test_a_field_that_is_there_twice_arrives_twice(channel: Channel, name: str) -> None:
    queue = channel.queue(name)
    twice = b"\x01aI\x00\x00\x00\x01\x01aI\x00\x00\x00\x02"
    channel.publish("strange", queue, headers=twice)
    assert channel.get(queue).raw == b"\x20\x00" + codec.write_table(twice)


def test_a_header_survives_a_death(channel: Channel, name: str) -> None:
    dead = channel.queue(f"{name}-dead")
    queue = channel.queue(name, arguments={"x-dead-letter-exchange": "", "x-dead-letter-routing-key": dead})
    strange = {key: value for key, value in STRANGE.items() if key not in {"", "not UTF-8"}}
    channel.publish("strange", queue, headers=strange)
    got = channel.get(queue, no_ack=False)
    channel.send("basic.reject", delivery=got.delivery)
    letter = channel.get_soon(dead)
    kept = {key: value for key, value in letter.tagged.items() if not key.startswith("x-")}
    assert kept == strange


def test_an_unknown_field_type_ends_the_connection(channel: Channel, expected: Callable[[str], Any]) -> None:
    arguments = codec.write_table(b"\x01aZ\x00")
    declare = codec.method_frame(1, "queue.declare", {"queue": "q"})[7:-1][:-4]
    channel.line.send_bytes(codec.frame(codec.METHOD, 1, declare + arguments))
    assert channel.line.ending() in expected("unknown-to-the-standard")


def test_a_short_string_may_have_255_bytes(channel: Channel, name: str) -> None:
    queue = channel.queue(name)
    channel.publish("hello", queue, correlation_id="x" * 255)
    channel.publish("hello", exchange="amq.fanout", key="k" * 255)
    assert channel.get(queue).properties["correlation_id"] == "x" * 255
