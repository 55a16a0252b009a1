"""Channels, and the frames that belong on them."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any

import pytest

from tests.conversations import codec
from tests.conversations.line import Line, dial

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.conversations.line import Channel
    from tests.servers.running import Running


def test_a_channel_is_opened_once(channel: Channel) -> None:
    channel.send("channel.open")
    assert channel.line.closed_by_broker() == (504, "CHANNEL_ERROR - second 'channel.open' seen")


@pytest.mark.parametrize("was_open", [False, True])
def test_nothing_is_said_on_a_closed_channel(line: Line, was_open: bool) -> None:  # noqa: FBT001  a column
    if was_open:
        line.channel().call("channel.close", code=200)
    line.send("queue.declare", channel=1)
    assert line.closed_by_broker() == (504, "CHANNEL_ERROR - expected 'channel.open'")


def test_channel_zero_is_the_connections_own(line: Line, expected: Callable[[str], Any]) -> None:
    line.send("queue.declare", channel=0)
    text = expected("method-on-channel-zero")
    assert line.closed_by_broker() == (504, f"CHANNEL_ERROR - {text}")


def test_a_channels_number_may_be_used_again(line: Line) -> None:
    channel = line.channel()
    channel.call("channel.close", code=200)
    channel.call("channel.open")
    assert channel.is_still_open()


def test_what_follows_an_error_is_ignored_until_the_client_agrees(channel: Channel, name: str) -> None:
    channel.send("queue.declare", queue=name, passive=True)
    channel.send("queue.declare", queue=name, exclusive=True)
    channel.publish("lost", name)
    close = channel.expect("channel.close")
    assert (close.code, close.failing_class, close.failing_method) == (404, 50, 10)
    channel.send("channel.close-ok")
    again = channel.line.channel()
    assert again.refusal("queue.declare", queue=name, passive=True)[0] == 404


def test_an_error_on_a_channel_leaves_the_others_alone(line: Line) -> None:
    first, second = line.channel(), line.channel()
    assert first.refusal("basic.get", queue="nonesuch")[0] == 404
    assert second.is_still_open()


def test_a_client_may_ask_for_messages_to_flow(channel: Channel) -> None:
    assert channel.call("channel.flow", active=True).active is True


def test_a_client_may_not_ask_for_messages_to_stop(channel: Channel) -> None:
    channel.send("channel.flow", active=False)
    assert channel.line.closed_by_broker() == (540, "NOT_IMPLEMENTED - active=false")


# Frames that are not what they should be

PUBLISH = codec.method_frame(1, "basic.publish", {})


@pytest.mark.parametrize(
    ("frames", "code", "text"),
    [
        pytest.param(b"\x09\0\1\0\0\0\0\xce", 501, "FRAME_ERROR - ", id="unknown frame type"),
        pytest.param(b"\1\0\1\0\0\0\4\0\x3c\0\x0a\0", 501, "FRAME_ERROR - ", id="no frame end"),
        pytest.param(struct.pack(">BHL", 3, 1, 200_000), 501, "FRAME_ERROR - ", id="frame too large"),
        pytest.param(codec.frame(3, 1, b"body"), 505, "UNEXPECTED_FRAME - ", id="body from nowhere"),
        pytest.param(
            codec.content_frames(1, {}, b"", frame_max=4096),
            505,
            "UNEXPECTED_FRAME - ",
            id="header from nowhere",
        ),
        pytest.param(PUBLISH + PUBLISH, 505, "UNEXPECTED_FRAME - ", id="method instead of header"),
    ],
)
def test_a_broken_frame_closes_the_connection(channel: Channel, frames: bytes, code: int, text: str) -> None:
    channel.line.send_bytes(frames)
    found = channel.line.closed_by_broker(leaving=True)
    assert (found[0], found[1][: len(text)]) == (code, text)


@pytest.mark.parametrize(
    "frames",
    [
        pytest.param(codec.frame(1, 1, b"\0\x32\0\x0a\0\0"), id="method cut short"),
        pytest.param(codec.method_frame(1, "queue.declare", {"queue": b"\xff\xfe"}), id="no UTF-8"),
    ],
)
def test_arguments_that_cannot_be_read_close_the_connection(
    channel: Channel, frames: bytes, expected: Callable[[str], Any]
) -> None:
    channel.line.send_bytes(frames)
    assert channel.line.closed_by_broker()[0] == expected("arguments-that-cannot-be-read")


def test_a_header_of_another_class_closes_the_connection(
    channel: Channel, expected: Callable[[str], Any]
) -> None:
    channel.line.send_bytes(PUBLISH + codec.frame(2, 1, struct.pack(">HHQH", 61, 0, 0, 0)))
    assert channel.line.closed_by_broker()[0] == expected("header-of-another-class")


def test_an_unknown_method_ends_the_connection(channel: Channel, expected: Callable[[str], Any]) -> None:
    channel.line.send_bytes(codec.frame(codec.METHOD, 1, b"\0\x3c\0\xff"))
    assert channel.line.ending() in expected("unknown-to-the-standard")


def test_heartbeats_may_come_at_any_time(line: Line) -> None:
    channel = line.channel()
    line.send_bytes(PUBLISH)
    line.send_heartbeat()
    line.send_bytes(codec.content_frames(1, {}, b"body", frame_max=4096))
    assert channel.is_still_open()


def test_channels_take_turns_within_a_message(line: Line) -> None:
    first, second = line.channel(), line.channel()
    queue = first.queue()
    header, body = (
        codec.frame(codec.HEADER, 1, struct.pack(">HHQH", 60, 0, 4, 0)),
        codec.frame(codec.BODY, 1, b"long"),
    )
    line.send_bytes(codec.method_frame(1, "basic.publish", {"key": queue}) + header)
    second.publish("short", queue)
    assert second.get(queue).body == b"short"
    line.send_bytes(body)
    assert first.get(queue).body == b"long"


def test_many_channels_are_no_trouble(broker: Running) -> None:
    with dial(broker) as line:
        channels = [line.channel() for _ in range(200)]
        assert all(channel.is_still_open() for channel in channels)
