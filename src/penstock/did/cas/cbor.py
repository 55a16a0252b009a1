"""The little CBOR (RFC 8949) that a hashlink's metadata needs: whole numbers, texts, bytes, lists and maps.

Lengths are always told beforehand: who writes metadata knows them, and a reader that takes no other form
cannot be led astray by it. Pure.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from penstock.errors import BadHashLink

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["dumps", "loads"]

# RFC 8949 §3.1: the upper three bits of an item's first byte.
NUMBER, NEGATIVE, BYTES, TEXT, LIST, MAP = range(6)
#: Values of the lower five bits that say how many bytes of the argument follow.
WIDTHS: Final = {24: 1, 25: 2, 26: 4, 27: 8}
#: Lists within lists; metadata has two levels.
DEEPEST: Final = 8


def dumps(value: Any) -> bytes:
    """The shortest encoding (RFC 8949 §4.2.1) of texts, whole numbers, and lists and maps of them."""
    match value:
        case bool() | None:
            raise TypeError(f"hashlink metadata has no {value}")
        case int() if value >= 0:
            return _head(NUMBER, value)
        case str():
            data = value.encode()
            return _head(TEXT, len(data)) + data
        case list() | tuple():
            return _head(LIST, len(value)) + b"".join(map(dumps, value))
        case dict():
            return _head(MAP, len(value)) + b"".join(dumps(key) + dumps(value[key]) for key in value)
        case _:
            raise TypeError(f"hashlink metadata has no {type(value).__name__}")


def _head(kind: int, argument: int) -> bytes:
    if argument < min(WIDTHS):
        return bytes([kind << 5 | argument])
    for code, width in WIDTHS.items():
        if argument < 1 << 8 * width:
            return bytes([kind << 5 | code]) + argument.to_bytes(width, "big")
    raise OverflowError(f"{argument} is beyond CBOR's whole numbers")


def loads(data: bytes) -> Any:
    """The one value that these bytes are.

    Raises:
        BadHashLink: they are no CBOR of the kinds above, or there is something behind the value.
    """
    reading = _Reading(data)
    value = reading.item(0)
    if reading.at != len(data):
        raise BadHashLink(f"{len(data) - reading.at} bytes follow the metadata of a hashlink")
    return value


class _Reading:
    """A place in the bytes."""

    __slots__ = ("at", "data")

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0

    def item(self, depth: int) -> Any:
        if depth > DEEPEST:
            raise BadHashLink("the metadata of a hashlink nests too deep")
        first = self._take(1)[0]
        kind, low = first >> 5, first & 31
        if kind not in _KINDS:
            raise BadHashLink(f"the metadata of a hashlink has a CBOR item of the kind {kind}")
        return _KINDS[kind](self, self._argument(low), depth)

    def _argument(self, low: int) -> int:
        if low < min(WIDTHS):
            return low
        if low not in WIDTHS:
            raise BadHashLink("the metadata of a hashlink does not tell its lengths beforehand")
        return int.from_bytes(self._take(WIDTHS[low]), "big")

    def _take(self, size: int) -> bytes:
        taken = self.data[self.at : self.at + size]
        if len(taken) < size:
            raise BadHashLink("the metadata of a hashlink ends too early")
        self.at += size
        return taken

    def number(self, value: int, depth: int) -> int:
        return value

    def negative(self, value: int, depth: int) -> int:
        return -1 - value

    def bytes(self, size: int, depth: int) -> bytes:
        return self._take(size)

    def text(self, size: int, depth: int) -> str:
        try:
            return self._take(size).decode()
        except UnicodeDecodeError as exc:
            raise BadHashLink("a text in the metadata of a hashlink is not UTF-8") from exc

    def list(self, count: int, depth: int) -> list[Any]:
        return [self.item(depth + 1) for _ in range(count)]

    def map(self, count: int, depth: int) -> dict[Any, Any]:
        found: dict[Any, Any] = {}
        for _ in range(count):
            key = self.item(depth + 1)
            if not isinstance(key, int | str) or key in found:
                raise BadHashLink("the metadata of a hashlink has a key twice, or one that is no name")
            found[key] = self.item(depth + 1)
        return found


#: Tags, floats, true and false are none that metadata have.
_KINDS: Final[Mapping[int, Callable[[_Reading, int, int], Any]]] = {
    NUMBER: _Reading.number,
    NEGATIVE: _Reading.negative,
    BYTES: _Reading.bytes,
    TEXT: _Reading.text,
    LIST: _Reading.list,
    MAP: _Reading.map,
}
