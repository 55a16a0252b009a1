"""The types of method arguments (AMQP 0-9-1 §4.2.5) and the compiler from declarations to codecs.

A method is declared once, as a class whose annotations say what travels; what reads and writes it is
compiled here from those annotations when the class is made. Knows no method by name.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from inspect import get_annotations
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    ClassVar,
    Final,
    Generic,
    TypeVar,
    get_args,
    get_origin,
)

from penstock.wire.amqp.errors import CannotEncode, Malformed
from penstock.wire.amqp.table import MAX_DEPTH, Table, decode_table, encode_table, short_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = [
    "Arguments",
    "Bit",
    "Codec",
    "Long",
    "LongLong",
    "LongStr",
    "LooseStr",
    "Octet",
    "Short",
    "ShortStr",
]

M = TypeVar("M")


@dataclass(frozen=True, slots=True)
class _Kind:
    """How one type of field is read, (data, position, depth) -> (value, position), and written."""

    read: Callable[[bytes, int, int], tuple[Any, int]]
    write: Callable[[Any], bytes]


def _number(layout: str) -> _Kind:
    packed = struct.Struct(layout)

    def read(data: bytes, at: int, _depth: int) -> tuple[Any, int]:
        return packed.unpack_from(data, at)[0], at + packed.size

    return _Kind(read, packed.pack)


def _read_short_text(data: bytes, at: int, _depth: int) -> tuple[str, int]:
    end = at + 1 + data[at]
    return data[at + 1 : end].decode(), end


def _read_loose_text(data: bytes, at: int, _depth: int) -> tuple[str, int]:
    end = at + 1 + data[at]
    return data[at + 1 : end].decode("utf-8", "surrogateescape"), end


def _read_long_string(data: bytes, at: int, _depth: int) -> tuple[bytes, int]:
    end = at + 4 + int.from_bytes(data[at : at + 4], "big")
    return data[at + 4 : end], end


def _write_long_string(value: bytes) -> bytes:
    return len(value).to_bytes(4, "big") + value


Octet = Annotated[int, _number(">B")]
Short = Annotated[int, _number(">H")]
Long = Annotated[int, _number(">I")]
LongLong = Annotated[int, _number(">Q")]
ShortStr = Annotated[str, _Kind(_read_short_text, short_text)]
#: In methods that carry content RabbitMQ does not insist on UTF-8; what is not, survives as surrogates.
LooseStr = Annotated[str, _Kind(_read_loose_text, short_text)]
LongStr = Annotated[bytes, _Kind(_read_long_string, _write_long_string)]
Arguments = Annotated[Table, _Kind(decode_table, encode_table)]

#: Neighbouring bits share an octet, the first one lowest (§4.2.5.2); never read or written alone.
_BIT: Final = _Kind(lambda _data, at, _depth: (None, at), lambda _value: b"")
Bit = Annotated[bool, _BIT]


@dataclass(frozen=True, slots=True)
class _Bits:
    """An octet of up to eight bits; a name of None is a reserved one."""

    names: list[str | None]

    def read(self, data: bytes, at: int, _depth: int, into: list[Any]) -> int:
        octet = data[at]
        into += [octet >> i & 1 == 1 for i, name in enumerate(self.names) if name]
        return at + 1

    def write(self, method: object) -> bytes:
        return bytes((sum(bool(getattr(method, name)) << i for i, name in enumerate(self.names) if name),))


@dataclass(frozen=True, slots=True)
class _Field:
    """One argument with octets of its own."""

    name: str
    kind: _Kind

    def read(self, data: bytes, at: int, depth: int, into: list[Any]) -> int:
        value, at = self.kind.read(data, at, depth)
        into.append(value)
        return at

    def write(self, method: object) -> bytes:
        return self.kind.write(getattr(method, self.name))


class _Reserved(_Field):
    """An argument the standard has given up: written as the class says, read and dropped."""

    __slots__ = ()

    def read(self, data: bytes, at: int, depth: int, into: list[Any]) -> int:
        return self.kind.read(data, at, depth)[1]


def _declared(cls: type) -> Iterator[tuple[str, bool, _Kind]]:
    """Name, whether it is reserved, and kind of each argument, in the order of the wire.

    Annotations must be objects, not text: no ``from __future__ import annotations`` in files of methods.
    """
    hint: Any
    for name, hint in get_annotations(cls).items():
        is_reserved = get_origin(hint) is ClassVar
        annotated = get_args(hint)[0] if is_reserved else hint
        if get_origin(annotated) is Annotated:
            yield name, is_reserved, annotated.__metadata__[0]


def _steps(cls: type) -> list[_Bits | _Field]:
    steps: list[_Bits | _Field] = []
    bits: _Bits | None = None
    for name, is_reserved, kind in _declared(cls):
        if kind is not _BIT:
            bits = None
            steps.append(_Reserved(name, kind) if is_reserved else _Field(name, kind))
            continue
        if bits is None:
            steps.append(bits := _Bits([]))
        bits.names.append(None if is_reserved else name)
    return steps


class Codec(Generic[M]):
    """Reads and writes the arguments of one method, as its annotations declare them."""

    __slots__ = ("_cls", "_steps")

    def __init__(self, cls: type[M]) -> None:
        self._cls = cls
        self._steps = _steps(cls)

    def decode(self, arguments: bytes, depth: int = MAX_DEPTH) -> M:
        """The method these argument bytes, all of them, make.

        Raises:
            Malformed: too few or too many bytes, text that is not UTF-8, or a broken table.
        """
        values: list[Any] = []
        at = 0
        try:
            for step in self._steps:
                at = step.read(arguments, at, depth, values)
        except (IndexError, struct.error, UnicodeDecodeError) as exc:
            raise Malformed(f"the arguments of {self._cls.__name__} cannot be read") from exc
        if at != len(arguments):
            raise Malformed(f"the arguments of {self._cls.__name__} have the wrong length")
        return self._cls(*values)

    def encode(self, method: M) -> bytes:
        """The argument bytes.

        Raises:
            CannotEncode: a value its field cannot hold.
        """
        try:
            return b"".join([step.write(method) for step in self._steps])
        except (struct.error, UnicodeEncodeError, OverflowError) as exc:
            raise CannotEncode(f"{method}: {exc}") from exc
