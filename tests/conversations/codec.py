"""AMQP 0-9-1 as bytes, once more and as small as can be: a second opinion on penstock.wire.

Knows the methods of the standard with RabbitMQ's additions by name, and nothing of sockets. What no
decent client would send can be written too: a field of any type is Tagged(tag, value), and a frame
may be made of any bytes.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from typing import Any, Final

METHOD: Final = 1
HEADER: Final = 2
BODY: Final = 3
HEARTBEAT: Final = 8
FRAME_END: Final = b"\xce"

#: name -> (class, method, arguments). An argument's type: B octet, H short, L long, Q longlong,
#: s shortstr, S longstr, ? bit, F table.
METHODS: Final = {
    "connection.start": (10, 10, "major:B minor:B about:F mechanisms:S locales:S"),
    "connection.start-ok": (10, 11, "about:F mechanism:s response:S locale:s"),
    "connection.secure": (10, 20, "challenge:S"),
    "connection.secure-ok": (10, 21, "response:S"),
    "connection.tune": (10, 30, "channel_max:H frame_max:L heartbeat:H"),
    "connection.tune-ok": (10, 31, "channel_max:H frame_max:L heartbeat:H"),
    "connection.open": (10, 40, "vhost:s capabilities:s insist:?"),
    "connection.open-ok": (10, 41, "known_hosts:s"),
    "connection.close": (10, 50, "code:H text:s failing_class:H failing_method:H"),
    "connection.close-ok": (10, 51, ""),
    "connection.blocked": (10, 60, "reason:s"),
    "connection.unblocked": (10, 61, ""),
    "connection.update-secret": (10, 70, "secret:S reason:s"),
    "connection.update-secret-ok": (10, 71, ""),
    "channel.open": (20, 10, "out_of_band:s"),
    "channel.open-ok": (20, 11, "channel_id:S"),
    "channel.flow": (20, 20, "active:?"),
    "channel.flow-ok": (20, 21, "active:?"),
    "channel.close": (20, 40, "code:H text:s failing_class:H failing_method:H"),
    "channel.close-ok": (20, 41, ""),
    "exchange.declare": (
        *(40, 10),
        "ticket:H exchange:s type:s passive:? durable:? auto_delete:? internal:? nowait:? arguments:F",
    ),
    "exchange.declare-ok": (40, 11, ""),
    "exchange.delete": (40, 20, "ticket:H exchange:s if_unused:? nowait:?"),
    "exchange.delete-ok": (40, 21, ""),
    "exchange.bind": (40, 30, "ticket:H destination:s source:s key:s nowait:? arguments:F"),
    "exchange.bind-ok": (40, 31, ""),
    "exchange.unbind": (40, 40, "ticket:H destination:s source:s key:s nowait:? arguments:F"),
    "exchange.unbind-ok": (40, 51, ""),
    "queue.declare": (
        *(50, 10),
        "ticket:H queue:s passive:? durable:? exclusive:? auto_delete:? nowait:? arguments:F",
    ),
    "queue.declare-ok": (50, 11, "queue:s messages:L consumers:L"),
    "queue.bind": (50, 20, "ticket:H queue:s exchange:s key:s nowait:? arguments:F"),
    "queue.bind-ok": (50, 21, ""),
    "queue.purge": (50, 30, "ticket:H queue:s nowait:?"),
    "queue.purge-ok": (50, 31, "messages:L"),
    "queue.delete": (50, 40, "ticket:H queue:s if_unused:? if_empty:? nowait:?"),
    "queue.delete-ok": (50, 41, "messages:L"),
    "queue.unbind": (50, 50, "ticket:H queue:s exchange:s key:s arguments:F"),
    "queue.unbind-ok": (50, 51, ""),
    "basic.qos": (60, 10, "prefetch_size:L prefetch_count:H is_global:?"),
    "basic.qos-ok": (60, 11, ""),
    "basic.consume": (
        *(60, 20),
        "ticket:H queue:s tag:s no_local:? no_ack:? exclusive:? nowait:? arguments:F",
    ),
    "basic.consume-ok": (60, 21, "tag:s"),
    "basic.cancel": (60, 30, "tag:s nowait:?"),
    "basic.cancel-ok": (60, 31, "tag:s"),
    "basic.publish": (60, 40, "ticket:H exchange:s key:s mandatory:? immediate:?"),
    "basic.return": (60, 50, "code:H text:s exchange:s key:s"),
    "basic.deliver": (60, 60, "tag:s delivery:Q redelivered:? exchange:s key:s"),
    "basic.get": (60, 70, "ticket:H queue:s no_ack:?"),
    "basic.get-ok": (60, 71, "delivery:Q redelivered:? exchange:s key:s messages:L"),
    "basic.get-empty": (60, 72, "cluster_id:s"),
    "basic.ack": (60, 80, "delivery:Q multiple:?"),
    "basic.reject": (60, 90, "delivery:Q requeue:?"),
    "basic.recover-async": (60, 100, "requeue:?"),
    "basic.recover": (60, 110, "requeue:?"),
    "basic.recover-ok": (60, 111, ""),
    "basic.nack": (60, 120, "delivery:Q multiple:? requeue:?"),
    "confirm.select": (85, 10, "nowait:?"),
    "confirm.select-ok": (85, 11, ""),
    "tx.select": (90, 10, ""),
    "tx.select-ok": (90, 11, ""),
    "tx.commit": (90, 20, ""),
    "tx.commit-ok": (90, 21, ""),
    "tx.rollback": (90, 30, ""),
    "tx.rollback-ok": (90, 31, ""),
}
NAMES: Final = {(class_id, method_id): name for name, (class_id, method_id, _) in METHODS.items()}
WITH_CONTENT: Final = {"basic.return", "basic.deliver", "basic.get-ok"}

#: A message's properties in the order of their flags, the first being the highest bit.
PROPERTIES: Final = (
    ("content_type", "s"),
    ("content_encoding", "s"),
    ("headers", "F"),
    ("delivery_mode", "B"),
    ("priority", "B"),
    ("correlation_id", "s"),
    ("reply_to", "s"),
    ("expiration", "s"),
    ("message_id", "s"),
    ("timestamp", "Q"),
    ("type", "s"),
    ("user_id", "s"),
    ("app_id", "s"),
    ("cluster_id", "s"),
)

#: Field types of fixed size, as RabbitMQ reads them: https://www.rabbitmq.com/amqp-0-9-1-errata.html
FIXED: Final = {
    "t": ">?",
    "b": ">b",
    "B": ">B",
    "s": ">h",
    "u": ">H",
    "I": ">i",
    "i": ">I",
    "l": ">q",
    "f": ">f",
    "d": ">d",
    "T": ">Q",
    "D": ">Bi",
    "V": "",
}


@dataclass(frozen=True, slots=True)
class Tagged:
    """A field's value with the type it has on the wire."""

    tag: str
    value: Any


@dataclass(frozen=True, slots=True)
class Method:
    """A method by its name, its arguments as attributes; with the content that followed it, if any."""

    name: str
    arguments: dict[str, Any] = field(default_factory=dict)
    properties: dict[str, Any] = field(default_factory=dict)
    #: The headers with their types, in the order they came.
    tagged: dict[str, Tagged] = field(default_factory=dict)
    body: bytes = b""
    #: The sizes of the frames the body came in.
    pieces: tuple[int, ...] = ()
    #: The properties as they came: flags and values.
    raw: bytes = b""

    def __getattr__(self, name: str) -> Any:
        try:
            return self.arguments[name]
        except KeyError:
            raise AttributeError(f"{self.name} has no {name}") from None

    @property
    def headers(self) -> dict[str, Any]:
        """The message's headers as plain values."""
        headers: dict[str, Any] = self.properties.get("headers", {})
        return headers


# Writing


def frame(kind: int, channel: int, payload: bytes) -> bytes:
    return struct.pack(">BHL", kind, channel, len(payload)) + payload + FRAME_END


def method_frame(channel: int, name: str, arguments: dict[str, Any]) -> bytes:
    class_id, method_id, layout = METHODS[name]
    return frame(METHOD, channel, struct.pack(">HH", class_id, method_id) + _write(layout, arguments))


def content_frames(channel: int, properties: dict[str, Any], body: bytes, *, frame_max: int) -> bytes:
    flags, values = 0, b""
    for position, (name, kind) in enumerate(PROPERTIES):
        if name in properties:
            flags |= 1 << (15 - position)
            values += _write_one(kind, properties[name])
    payload = struct.pack(">HHQH", 60, 0, len(body), flags) + values
    room = frame_max - 8
    pieces = [body[start : start + room] for start in range(0, len(body), room)]
    return frame(HEADER, channel, payload) + b"".join(frame(BODY, channel, piece) for piece in pieces)


def _write(layout: str, arguments: dict[str, Any]) -> bytes:
    left, written, bits = dict(arguments), b"", []
    for name, kind in _slots(layout):
        if kind == "?":
            bits.append(left.pop(name, False))
            continue
        if bits:
            written, bits = written + _pack_bits(bits), []
        written += _write_one(kind, left.pop(name, "" if kind in "sS" else {} if kind == "F" else 0))
    assert not left, f"no such argument: {left}"
    return written + (_pack_bits(bits) if bits else b"")


def _pack_bits(bits: list[bool]) -> bytes:
    return bytes([sum(bit << position for position, bit in enumerate(bits))])


def _write_one(kind: str, value: Any) -> bytes:
    if kind == "F":
        return write_table(value)
    if kind in "sS":
        text = value.encode() if isinstance(value, str) else value
        return struct.pack(">B" if kind == "s" else ">L", len(text)) + bytes(text)
    return struct.pack(f">{kind}", value)


def write_table(fields: dict[str, Any] | bytes) -> bytes:
    if isinstance(fields, dict):
        fields = b"".join(_write_one("s", name) + write_field(value) for name, value in fields.items())
    return struct.pack(">L", len(fields)) + fields


def write_field(value: Any) -> bytes:
    """A field with its type in front; of a plain value, the type most clients choose."""
    tagged = value if isinstance(value, Tagged) else Tagged(_usual_tag(value), value)
    tag, value = tagged.tag, tagged.value
    if tag == "F":
        written = write_table(value)
    elif tag == "A":
        items = b"".join(map(write_field, value))
        written = struct.pack(">L", len(items)) + items
    elif tag in "Sx":
        written = _write_one("S", value)
    else:
        values = value if isinstance(value, tuple) else () if tag == "V" else (value,)
        written = struct.pack(FIXED[tag], *values)
    return tag.encode() + written


def _usual_tag(value: Any) -> str:
    if isinstance(value, bool):
        return "t"
    if isinstance(value, int):
        return "I" if -(2**31) <= value < 2**31 else "l"
    return {str: "S", bytes: "x", float: "d", dict: "F", list: "A", type(None): "V"}[type(value)]


# Reading


class Reader:
    """Takes values off the front of some bytes."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0

    def bytes(self, size: int) -> bytes:
        self.at += size
        assert self.at <= len(self.data), "a frame is too short for what it says it holds"
        return self.data[self.at - size : self.at]

    def fixed(self, layout: str) -> tuple[Any, ...]:
        return struct.unpack(layout, self.bytes(struct.calcsize(layout)))

    def value(self, kind: str) -> Any:
        if kind == "F":
            return self.table()
        if kind in "sS":
            (size,) = self.fixed(">B" if kind == "s" else ">L")
            return self.bytes(size).decode(errors="surrogateescape")
        return self.fixed(f">{kind}")[0]

    def arguments(self, layout: str) -> dict[str, Any]:
        read: dict[str, Any] = {}
        bits, taken = 0, 8
        for name, kind in _slots(layout):
            if kind != "?":
                read[name], taken = self.value(kind), 8
                continue
            if taken == 8:
                (bits,), taken = self.fixed(">B"), 0
            read[name] = bool(bits >> taken & 1)
            taken += 1
        return read

    def table(self) -> dict[str, Tagged]:
        (size,) = self.fixed(">L")
        inside = Reader(self.bytes(size))
        fields = {}
        while inside.at < size:
            name = inside.value("s")
            fields[name] = inside.field()
        return fields

    def field(self) -> Tagged:
        tag = self.bytes(1).decode()
        if tag == "F":
            return Tagged(tag, self.table())
        if tag == "A":
            (size,) = self.fixed(">L")
            inside, items = Reader(self.bytes(size)), []
            while inside.at < size:
                items.append(inside.field())
            return Tagged(tag, items)
        if tag == "x":
            return Tagged(tag, self.bytes(self.fixed(">L")[0]))
        if tag == "S":
            return Tagged(tag, self.value("S"))
        values = self.fixed(FIXED[tag])
        return Tagged(tag, values if len(values) > 1 else values[0] if values else None)


def read_method(payload: bytes) -> Method:
    reader = Reader(payload)
    name = NAMES[reader.fixed(">HH")]
    arguments = reader.arguments(METHODS[name][2])
    return Method(name, {key: plain(value) for key, value in arguments.items()})


def read_header(payload: bytes) -> tuple[int, dict[str, Any], dict[str, Tagged]]:
    """The body's size, the properties, and the headers with their types."""
    reader = Reader(payload)
    _, _, size, flags = reader.fixed(">HHQH")
    properties = {
        name: reader.value(kind)
        for position, (name, kind) in enumerate(PROPERTIES)
        if flags >> (15 - position) & 1
    }
    tagged: dict[str, Tagged] = properties.get("headers", {})
    return size, {name: plain(value) for name, value in properties.items()}, tagged


def plain(value: Any) -> Any:
    """The value without the types it had on the wire."""
    if isinstance(value, Tagged):
        return plain(value.value)
    if isinstance(value, dict):
        return {name: plain(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [plain(inner) for inner in value]
    return value


def _slots(layout: str) -> list[tuple[str, str]]:
    return [(name, kind) for name, _, kind in (slot.partition(":") for slot in layout.split())]
