"""A usual shape at work: bytes are of it, or they are not."""

from __future__ import annotations

from typing import Any, Final, Generic, TypeVar

from msgspec import MsgspecError, Struct
from msgspec.json import Decoder, Encoder

__all__ = ["Shape", "Usual"]

T = TypeVar("T")

_encode: Final = Encoder().encode


class Shape(Struct, forbid_unknown_fields=True, rename="camel", gc=False):
    """Members in canonical order: they are written as they stand."""


class Usual(Generic[T]):
    """Reads one shape."""

    __slots__ = ("_decode", "_kind")

    def __init__(self, kind: type[T]) -> None:
        """Nothing is read yet.

        Args:
            kind: A Struct that refuses what it does not know, with members in canonical order.
        """
        self._kind = kind
        self._decode = Decoder(kind).decode

    def __repr__(self) -> str:
        return f"<Usual {self._kind.__name__}>"

    def read(self, data: bytes) -> T | None:
        """The value, if these bytes are its canonical form; else nothing."""
        try:
            found = self._decode(data)
        except (MsgspecError, UnicodeDecodeError):
            return None
        # What ASCII says is written by everybody in the same way.
        return found if _encode(found) == data and data.isascii() else None

    @staticmethod
    def write(value: Any) -> bytes:
        """The canonical form of a part of what was read."""
        return _encode(value)
