from __future__ import annotations

from typing import ClassVar

import pytest

from penstock.wire.amqp.errors import CannotEncode, Malformed
from penstock.wire.amqp.fields import Bit, Codec
from penstock.wire.amqp.methods import (
    AccessRequest,
    BasicPublish,
    ChannelClose,
    ConnectionOpen,
    ConnectionSecure,
    QueueDeclare,
)


def test_bits_share_an_octet_lowest_first() -> None:
    raw = AccessRequest.codec.encode(AccessRequest("r", exclusive=True, passive=False, read=False))
    assert raw == b"\x01r" + bytes([0b01101])
    assert AccessRequest.codec.decode(b"\x01r\x10").read


def test_reserved_fields_are_written_as_declared_and_dropped_when_read() -> None:
    assert ConnectionOpen.codec.encode(ConnectionOpen("v")) == b"\x01v\x00\x00"
    assert ConnectionOpen.codec.decode(b"\x01v\x03abc\x01") == ConnectionOpen("v")


class Gapped:
    """Three bits of which the middle one is reserved, and an annotation that does not travel."""

    __annotations__ = {"first": Bit, "gap": ClassVar[Bit], "last": Bit, "note": int}

    def __init__(self, first: int, last: int) -> None:
        self.first, self.last = first, last


def test_a_reserved_bit_keeps_its_place() -> None:
    codec = Codec(Gapped)
    assert codec.encode(Gapped(1, 1)) == b"\x05"
    assert codec.decode(b"\x06").__dict__ == {"first": False, "last": True}


def test_a_long_string_is_bytes() -> None:
    assert ConnectionSecure.codec.decode(b"\0\0\0\x02\xff\0").challenge == b"\xff\0"


def test_text_is_strict_but_where_content_follows() -> None:
    with pytest.raises(Malformed):
        QueueDeclare.codec.decode(b"\0\0\x01\xff\0\0\0\0\0")
    raw = b"\0\0\x01\xff\x01\xfe\0"
    assert BasicPublish.codec.encode(BasicPublish.codec.decode(raw)) == raw


@pytest.mark.parametrize(
    "raw", [b"", b"\0\0\x05q", b"\0\0\x01q\0\0\0\0\x01"], ids=["empty", "cut", "cut table"]
)
def test_too_few_bytes_are_malformed(raw: bytes) -> None:
    with pytest.raises(Malformed):
        QueueDeclare.codec.decode(raw)


def test_depth_is_the_callers() -> None:
    raw = b"\0\0\x01q\0\0\0\0\x07\x01kF\0\0\0\0"
    assert QueueDeclare.codec.decode(raw, 2).arguments == {"k": {}}
    with pytest.raises(Malformed):
        QueueDeclare.codec.decode(raw, 1)


@pytest.mark.parametrize(
    "close",
    [ChannelClose(70_000, "", 0, 0), ChannelClose(1, "x" * 256, 0, 0), ChannelClose(1, "\ud800", 0, 0)],
    ids=["number", "length", "no character"],
)
def test_what_a_field_cannot_hold_cannot_be_encoded(close: ChannelClose) -> None:
    with pytest.raises(CannotEncode):
        ChannelClose.codec.encode(close)
