"""Base58 as Bitcoin has it: how some kinds of key are shown in documents."""

from __future__ import annotations

from typing import Final

__all__ = ["encode"]

#: No 0, O, I or l: they look alike.
ALPHABET: Final = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"


def encode(data: bytes) -> str:
    """The text for these bytes; a leading zero byte is a leading 1."""
    zeros = len(data) - len(data.lstrip(b"\x00"))
    number, letters = int.from_bytes(data, "big"), ""
    while number:
        number, rest = divmod(number, len(ALPHABET))
        letters = ALPHABET[rest] + letters
    return ALPHABET[0] * zeros + letters
