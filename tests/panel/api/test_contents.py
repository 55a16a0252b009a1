from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from penstock.panel.api.contents import message_told, payload_of, size_told
from penstock.server.amqp.message import AmqpMessage
from penstock.server.amqp.terms import read_terms
from penstock.wire.amqp import BasicProperties, PublishArgs, content_frames
from penstock.wiring import Message

if TYPE_CHECKING:
    from penstock.panel.api.contents import Encoding


@pytest.mark.parametrize(
    ("body", "encoding", "truncate", "payload", "told_as"),
    [
        (b"text", "auto", None, "text", "string"),
        (b"text", "base64", None, "dGV4dA==", "base64"),
        (b"\xff", "auto", None, "/w==", "base64"),
        ("aé".encode(), "auto", 2, "a", "string"),
        ("a😀".encode(), "auto", 4, "a", "string"),
        (b"a\xff", "auto", 2, "Yf8=", "base64"),
        (b"\xc3(", "auto", 2, "wyg=", "base64"),
        (b"text", "auto", 0, "", "string"),
    ],
)
def test_a_payload_is_text_if_it_can_be(
    body: bytes, encoding: Encoding, truncate: int | None, payload: str, told_as: str
) -> None:
    told = message_told(Message(body, "key"), encoding=encoding, truncate=truncate)
    assert (told["payload"], told["payload_encoding"], told["payload_bytes"]) == (payload, told_as, len(body))


def test_a_message_that_did_not_come_by_amqp_is_told_too() -> None:
    message = Message(b"x", "key", {"n": 1})
    message.proxy = "events"
    told = message_told(message)
    assert (told["exchange"], told["routing_key"], told["properties"]) == (
        "events",
        "key",
        {"headers": {"n": 1}},
    )
    assert message_told(Message(b"x", "key"))["properties"] == {}


def test_the_first_bytes_are_enough() -> None:
    assert payload_of(Message(b"abc", ""), 2) == b"ab"
    assert payload_of(Message(b"abc", "")) == b"abc"


def test_the_size_of_what_is_told_counts_headers_and_no_more_of_the_payload_than_is_told() -> None:
    content = BasicProperties.of(headers={"long": "x" * 5000})
    frames = content_frames(1, content, b"y" * 900, 131_072)
    message = AmqpMessage(PublishArgs("", "q"), content, frames, read_terms(content))
    assert 5900 < size_told(message) < 6000
    assert size_told(message) - size_told(message, 100) == 800
    assert size_told(Message(b"xyz", "key"), 2) == 2
