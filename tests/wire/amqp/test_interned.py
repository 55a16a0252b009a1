from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.wire.amqp.errors import Malformed
from penstock.wire.amqp.interned import LONGEST, MOST, Interned
from penstock.wire.amqp.items import DeliverArgs, PublishArgs
from penstock.wire.amqp.methods import BasicPublish
from penstock.wire.amqp.properties import BasicProperties


@given(
    raw=st.binary(max_size=20)
    | st.builds(
        lambda exchange, key, bits: (
            b"\0\0" + bytes([len(exchange)]) + exchange + bytes([len(key)]) + key + bits
        ),
        st.binary(max_size=9),
        st.binary(max_size=9),
        st.binary(max_size=2),
    )
)
def test_a_publish_is_read_as_the_codec_reads_it(raw: bytes) -> None:
    try:
        expected: BasicPublish = BasicPublish.codec.decode(raw)
    except Malformed:
        with pytest.raises(Malformed):
            Interned().parse_publish(raw)
    else:
        args = Interned().parse_publish(raw)
        assert args == (expected.exchange, expected.routing_key, expected.mandatory, expected.immediate)


def test_what_was_parsed_is_remembered() -> None:
    interned = Interned()
    args = interned.parse_publish(b"\0\0\x01e\x01k\x01")
    assert args == PublishArgs("e", "k", mandatory=True)
    assert interned.publish_args[b"\0\0\x01e\x01k\x01"] is args
    deliver = interned.parse_deliver(b"\x01c\x01\x01e\x01k")
    assert interned.deliver_args[b"\x01c\x01\x01e\x01k"] is deliver
    assert deliver == DeliverArgs("c", redelivered=True, exchange="e", routing_key="k")
    properties = interned.parse_properties(b"\0\0")
    assert interned.properties[b"\0\0"] is properties
    assert repr(interned) == "<Interned 1 publish, 1 deliver, 1 properties>"


def test_memory_is_bounded() -> None:
    interned = Interned()
    for i in range(MOST + 1):
        name = b"%06d" % i
        interned.parse_publish(b"\0\0\x00\x06" + name + b"\0")
        interned.parse_deliver(b"\x01c\0\0\x06" + name)
        interned.parse_properties(b"\x80\0\x06" + name)
    assert len(interned.publish_args) == len(interned.deliver_args) == len(interned.properties) == 1


def test_a_long_property_list_is_not_kept() -> None:
    interned = Interned()
    interned.parse_properties(BasicProperties.of(headers={"a": "x" * LONGEST}).raw)
    assert not interned.properties


def test_nothing_malformed_is_kept() -> None:
    interned = Interned(depth=1)
    with pytest.raises(Malformed):
        interned.parse_properties(BasicProperties.of(headers={"a": {}}).raw)
    with pytest.raises(Malformed):
        interned.parse_deliver(b"\x09c")
    assert not interned.properties
    assert not interned.deliver_args
