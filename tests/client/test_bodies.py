from __future__ import annotations

from penstock.client.bodies import LargeBody
from penstock.wire.amqp import BasicProperties, DeliverArgs
from penstock.wire.amqp.items import DELIVER, Head

HEAD: Head = (DELIVER, 1, DeliverArgs("tag", False, "e", "k"), 7)  # noqa: FBT003 (the wire's order)


def test_pieces_become_one_body() -> None:
    large = LargeBody(HEAD, BasicProperties.of(), 6, 6)
    large.add(b"abc")
    large.add(b"def")
    assert large.body == b"abcdef"
    assert repr(large) == "<LargeBody of 6 bytes, gathered>"


def test_what_is_beyond_the_limit_is_not_kept() -> None:
    large = LargeBody(HEAD, BasicProperties.of(), 7, 6)
    large.add(b"abcdefg")
    assert large.is_too_large
    assert large.body == b""
    assert repr(large) == "<LargeBody of 7 bytes, passed by>"
