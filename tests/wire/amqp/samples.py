"""What the tests of the AMQP wire share: cases as bytes, and strategies for everything that travels."""

from __future__ import annotations

import struct
from dataclasses import fields
from datetime import UTC, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any, NamedTuple, get_args

from hypothesis import strategies as st

from penstock.wire.amqp.constants import ReplyCode
from penstock.wire.amqp.fields import (
    Bit,
    Long,
    LongLong,
    LongStr,
    LooseStr,
    Octet,
    Short,
    ShortStr,
)
from penstock.wire.amqp.methods import (
    METHODS,
    BasicConsume,
    BasicGetEmpty,
    BasicNack,
    BasicQos,
    BasicReject,
    ChannelClose,
    ChannelOpen,
    ChannelOpenOk,
    ConfirmSelect,
    ConnectionBlocked,
    ConnectionOpen,
    ConnectionTuneOk,
    ExchangeDeclare,
    ExchangeUnbindOk,
    QueueBind,
    QueueDeclare,
    QueueDeclareOk,
    TxSelect,
)

if TYPE_CHECKING:
    from penstock.wire.amqp.items import Item
    from penstock.wire.amqp.methods import Method


def frame(kind: int, channel: int, payload: bytes, end: bytes = b"\xce") -> bytes:
    """A frame put together by hand, right or wrong."""
    return struct.pack(">BHI", kind, channel, len(payload)) + payload + end


class MethodCase(NamedTuple):
    """One method on the wire: decoded it is the method, encoded it is the bytes."""

    name: str
    raw: bytes
    channel: int
    method: Method


METHOD_CASES = [
    # no argument at all
    MethodCase("tx.select", b"\x01\x00\x01\x00\x00\x00\x04\x00\x5a\x00\x0a\xce", 1, TxSelect()),
    # one reserved short string, empty
    MethodCase("channel.open", b"\x01\x00\x01\x00\x00\x00\x05\x00\x14\x00\x0a\x00\xce", 1, ChannelOpen()),
    # one reserved long string, empty
    MethodCase(
        "channel.open-ok",
        b"\x01\x00\x01\x00\x00\x00\x08\x00\x14\x00\x0b\x00\x00\x00\x00\xce",
        1,
        ChannelOpenOk(),
    ),
    # numbers of three widths, on channel 0
    MethodCase(
        "connection.tune-ok",
        b"\x01\x00\x00\x00\x00\x00\x0c\x00\x0a\x00\x1f\x07\xff\x00\x02\x00\x00\x00\x3c\xce",
        0,
        ConnectionTuneOk(2047, 131072, 60),
    ),
    # a string, a reserved string, a reserved bit
    MethodCase(
        "connection.open",
        b"\x01\x00\x00\x00\x00\x00\x08\x00\x0a\x00\x28\x01/\x00\x00\xce",
        0,
        ConnectionOpen("/"),
    ),
    # RabbitMQ's extension
    MethodCase(
        "connection.blocked",
        b"\x01\x00\x00\x00\x00\x00\x0f\x00\x0a\x00\x3c\x0alow memory\xce",
        0,
        ConnectionBlocked("low memory"),
    ),
    # text beyond ASCII
    MethodCase(
        "channel.close",
        b"\x01\x00\x07\x00\x00\x00\x10\x00\x14\x00\x28\x01\x94\x05n\xc3\xa9in\x00\x32\x00\x0a\xce",
        7,
        ChannelClose(404, "néin", 50, 10),
    ),
    # five bits in one octet, the second and fourth set, then a table
    MethodCase(
        "exchange.declare",
        b"\x01\x00\x01\x00\x00\x00\x1c\x00\x28\x00\x0a\x00\x00\x02ex\x05topic\x0a\x00\x00\x00\x08\x01kS\x00\x00\x00\x01v\xce",
        1,
        ExchangeDeclare("ex", "topic", durable=True, internal=True, arguments={"k": "v"}),
    ),
    # the id that is out of step
    MethodCase(
        "exchange.unbind-ok", b"\x01\x00\x01\x00\x00\x00\x04\x00\x28\x00\x33\xce", 1, ExchangeUnbindOk()
    ),
    # a reserved number first
    MethodCase(
        "queue.declare",
        b"\x01\x00\x01\x00\x00\x00\x0d\x00\x32\x00\x0a\x00\x00\x01q\x02\x00\x00\x00\x00\xce",
        1,
        QueueDeclare("q", durable=True),
    ),
    MethodCase(
        "queue.declare-ok",
        b"\x01\x00\x01\x00\x00\x00\x0e\x00\x32\x00\x0b\x01q\x00\x00\x00\x05\x00\x00\x00\x02\xce",
        1,
        QueueDeclareOk("q", 5, 2),
    ),
    MethodCase(
        "queue.bind",
        b"\x01\x00\x01\x00\x00\x00\x11\x00\x32\x00\x14\x00\x00\x01q\x01e\x01k\x01\x00\x00\x00\x00\xce",
        1,
        QueueBind("q", "e", "k", nowait=True),
    ),
    MethodCase(
        "basic.qos",
        b"\x01\x00\x01\x00\x00\x00\x0b\x00\x3c\x00\x0a\x00\x00\x00\x00\x03\xe8\x01\xce",
        1,
        BasicQos(0, 1000, is_global=True),
    ),
    MethodCase(
        "basic.consume",
        b"\x01\x00\x01\x00\x00\x00\x0f\x00\x3c\x00\x14\x00\x00\x01q\x01c\x06\x00\x00\x00\x00\xce",
        1,
        BasicConsume("q", "c", no_ack=True, exclusive=True),
    ),
    MethodCase(
        "basic.get-empty", b"\x01\x00\x01\x00\x00\x00\x05\x00\x3c\x00\x48\x00\xce", 1, BasicGetEmpty()
    ),
    MethodCase(
        "basic.nack",
        b"\x01\x00\x01\x00\x00\x00\x0d\x00\x3c\x00\x78\x00\x00\x00\x00\x00\x00\x00\x05\x03\xce",
        1,
        BasicNack(5, multiple=True, requeue=True),
    ),
    MethodCase(
        "basic.reject",
        b"\x01\x00\x01\x00\x00\x00\x0d\x00\x3c\x00\x5a\x00\x00\x00\x00\x00\x00\x00\x05\x00\xce",
        1,
        BasicReject(5, requeue=False),
    ),
    MethodCase("confirm.select", b"\x01\x00\x01\x00\x00\x00\x05\x00\x55\x00\x0a\x00\xce", 1, ConfirmSelect()),
]

#: basic.publish to exchange "ex" with key "key", on channel 1.
PUBLISH = b"\x01\x00\x01\x00\x00\x00\x0e\x00\x3c\x00\x28\x00\x00\x02ex\x03key\x00\xce"
#: Content type "t", delivery mode 2.
PROPERTIES = b"\x90\x00\x01t\x02"
HEADER = (
    b"\x02\x00\x01\x00\x00\x00\x11\x00\x3c\x00\x00\x00\x00\x00\x00\x00\x00\x00\x05" + PROPERTIES + b"\xce"
)
BODY = b"\x03\x00\x01\x00\x00\x00\x05hello\xce"
FRAMES = HEADER + BODY
EMPTY = b"\x02\x00\x01\x00\x00\x00\x0e\x00\x3c\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\xce"
#: basic.deliver to consumer "c", tag 7, redelivered, from "ex" with "key", on channel 1.
DELIVER = (
    b"\x01\x00\x01\x00\x00\x00\x16\x00\x3c\x00\x3c\x01c\x00\x00\x00\x00\x00\x00\x00\x07\x01\x02ex\x03key\xce"
)
ACK = b"\x01\x00\x01\x00\x00\x00\x0d\x00\x3c\x00\x50\x00\x00\x00\x00\x00\x00\x00\x03\x01\xce"
HEARTBEAT = b"\x08\x00\x00\x00\x00\x00\x00\xce"


class FailureCase(NamedTuple):
    """Bytes a client may not send, after a greeting, and what becomes of them."""

    name: str
    raw: bytes
    code: ReplyCode
    channel: int = 0
    method: tuple[int, int] = (0, 0)


_PUBLISHED = (60, 40)

FAILURE_CASES = [
    # §4.2.3: the octet after the payload
    FailureCase("frame end", frame(1, 1, b"\0\x5a\0\x0a", b"\xcd"), ReplyCode.FRAME_ERROR),
    FailureCase("unknown frame type", frame(4, 1, b""), ReplyCode.FRAME_ERROR),
    FailureCase("no room for a method id", frame(1, 1, b"\0\x5a"), ReplyCode.FRAME_ERROR),
    # known from the first seven bytes, before the frame is there
    FailureCase("frame too large", b"\x01\0\x01\xff\xff\xff\xff\0", ReplyCode.FRAME_ERROR),
    FailureCase("heartbeat with payload", frame(8, 0, b"x"), ReplyCode.FRAME_ERROR),
    FailureCase("heartbeat on a channel", frame(8, 3, b""), ReplyCode.COMMAND_INVALID),
    FailureCase("unknown class", frame(1, 1, b"\0\x63\0\x0a"), ReplyCode.NOT_IMPLEMENTED, 0, (99, 10)),
    FailureCase("unknown method", frame(1, 1, b"\0\x3c\0\x63"), ReplyCode.NOT_IMPLEMENTED, 0, (60, 99)),
    # a client does not deliver
    FailureCase("for the other end", DELIVER, ReplyCode.COMMAND_INVALID, 0, (60, 60)),
    FailureCase(
        "queue method on channel 0", frame(1, 0, b"\0\x5a\0\x0a"), ReplyCode.CHANNEL_ERROR, 0, (90, 10)
    ),
    FailureCase(
        "connection method on a channel", frame(1, 1, b"\0\x0a\0\x33"), ReplyCode.COMMAND_INVALID, 0, (10, 51)
    ),
    FailureCase("channel above channel-max", frame(1, 2048, b"\0\x5a\0\x0a"), ReplyCode.CHANNEL_ERROR),
    FailureCase(
        "arguments too short", frame(1, 1, b"\0\x32\0\x0a\0\0\x05q"), ReplyCode.SYNTAX_ERROR, 0, (50, 10)
    ),
    FailureCase("arguments too long", frame(1, 1, b"\0\x5a\0\x0ax"), ReplyCode.SYNTAX_ERROR, 0, (90, 10)),
    FailureCase(
        "text not UTF-8",
        frame(1, 1, b"\0\x32\0\x0a\0\0\x01\xff\0\0\0\0\0"),
        ReplyCode.SYNTAX_ERROR,
        0,
        (50, 10),
    ),
    FailureCase(
        "unknown field type",
        frame(1, 1, b"\0\x32\0\x0a\0\0\x01q\0\0\0\0\x03\x01aZ"),
        ReplyCode.SYNTAX_ERROR,
        0,
        (50, 10),
    ),
    FailureCase(
        "publish cut short",
        frame(1, 1, b"\0\x3c\0\x28\0\0\x02ex\x09k\0"),
        ReplyCode.SYNTAX_ERROR,
        0,
        _PUBLISHED,
    ),
    # with an end octet where an ack would end
    FailureCase(
        "ack too long", frame(1, 1, b"\0\x3c\0\x50" + bytes(9) + b"\xce"), ReplyCode.SYNTAX_ERROR, 0, (60, 80)
    ),
    # §4.2.6: what may follow what
    FailureCase("header without method", HEADER, ReplyCode.UNEXPECTED_FRAME),
    FailureCase("body without method", BODY, ReplyCode.UNEXPECTED_FRAME),
    FailureCase("header on channel 0", frame(2, 0, HEADER[7:-1]), ReplyCode.UNEXPECTED_FRAME),
    FailureCase(
        "method where a header should be", PUBLISH + PUBLISH, ReplyCode.UNEXPECTED_FRAME, 0, _PUBLISHED
    ),
    FailureCase("body where a header should be", PUBLISH + BODY, ReplyCode.UNEXPECTED_FRAME, 0, _PUBLISHED),
    FailureCase(
        "method where a body should be", PUBLISH + HEADER + ACK, ReplyCode.UNEXPECTED_FRAME, 0, _PUBLISHED
    ),
    # §4.2.6.1: the class of the header is the class of the method
    FailureCase(
        "header of another class",
        PUBLISH + frame(2, 1, b"\0\x32" + bytes(12)),
        ReplyCode.FRAME_ERROR,
        0,
        _PUBLISHED,
    ),
    FailureCase(
        "weight", PUBLISH + frame(2, 1, b"\0\x3c\0\x01" + bytes(10)), ReplyCode.FRAME_ERROR, 0, _PUBLISHED
    ),
    FailureCase(
        "header too short", PUBLISH + frame(2, 1, b"\0\x3c" + bytes(10)), ReplyCode.FRAME_ERROR, 0, _PUBLISHED
    ),
    FailureCase(
        "property past the end",
        PUBLISH + frame(2, 1, b"\0\x3c" + bytes(10) + b"\x80\0\x05a"),
        ReplyCode.SYNTAX_ERROR,
        0,
        _PUBLISHED,
    ),
    FailureCase(
        "more body than said", PUBLISH + HEADER + frame(3, 1, b"helloo"), ReplyCode.FRAME_ERROR, 0, _PUBLISHED
    ),
    # the connection lives on
    FailureCase(
        "body too large",
        PUBLISH + frame(2, 1, b"\0\x3c\0\0" + (1 << 40).to_bytes(8, "big") + b"\0\0"),
        ReplyCode.CONTENT_TOO_LARGE,
        1,
        _PUBLISHED,
    ),
]


# Strategies.

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)
moments = st.datetimes(
    min_value=datetime(1970, 1, 1),  # noqa: DTZ001 - Hypothesis adds the zone
    timezones=st.just(UTC),
).map(lambda moment: moment.replace(microsecond=0))
decimals = st.builds(
    lambda digits, scale: Decimal(digits).scaleb(-scale),
    st.integers(-(2**31), 2**31 - 1),
    st.integers(0, 20),
)
scalars = (
    st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False)
    | decimals
    | texts
    | st.binary(max_size=40)
    | moments
    | st.none()
)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=12,
)
tables = st.dictionaries(texts, values, max_size=5)


def _number(bits: int) -> st.SearchStrategy[int]:
    return st.integers(0, 2**bits - 1)


_KINDS: list[tuple[Any, st.SearchStrategy[Any]]] = [
    (Bit, st.booleans()),
    (Octet, _number(8)),
    (Short, _number(16)),
    (Long, _number(32)),
    (LongLong, _number(64)),
    (ShortStr, texts),
    (LooseStr, texts),
    (LongStr, st.binary(max_size=300)),
]


def _arguments_of(cls: type[Method]) -> st.SearchStrategy[Method]:
    by_kind = {get_args(alias)[1]: strategy for alias, strategy in _KINDS}
    return st.builds(
        cls,
        **{field.name: by_kind.get(get_args(field.type)[1], tables) for field in fields(cls)},  # type: ignore[arg-type]
    )


methods = st.sampled_from(list(METHODS.values())).flatmap(_arguments_of)

_octets = _number(8)
property_values: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {},
    optional={
        "content_type": texts,
        "content_encoding": texts,
        "headers": tables,
        "delivery_mode": _octets,
        "priority": _octets,
        "correlation_id": texts,
        "reply_to": texts,
        "expiration": texts,
        "message_id": texts,
        "timestamp": moments,
        "type": texts,
        "user_id": texts,
        "app_id": texts,
        "cluster_id": texts,
    },
)


def plain(items: list[Item]) -> list[Any]:
    """Items as values that compare: properties by their bytes."""
    return [tuple(getattr(part, "raw", part) for part in item) for item in items]
