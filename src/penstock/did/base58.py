"""Base 58 in Bitcoin's alphabet, both ways: how CIDs of version 0, keys and proofs are written. Pure."""

from __future__ import annotations

from typing import Final

from penstock.errors import BadEncoding
from penstock.sidetree.base58 import ALPHABET, encode

__all__ = ["SIGN", "decode", "encode"]

#: Multibase's sign for it: what stands before a text that says how it is written.
SIGN: Final = "z"
VALUES: Final = {letter: value for value, letter in enumerate(ALPHABET)}
#: Characters. The effort grows with the square of the length, and a signature has 88.
LONGEST: Final = 512


def decode(text: str) -> bytes:
    """The bytes of such a text.

    Raises:
        BadEncoding: it has other letters, or too many.
    """
    if len(text) > LONGEST:
        raise BadEncoding(f"{len(text)} characters are too many in base 58")
    number = 0
    for letter in text:
        if letter not in VALUES:
            raise BadEncoding(f"{letter!r} is no letter of base 58")
        number = number * len(ALPHABET) + VALUES[letter]
    zeros = len(text) - len(text.lstrip(ALPHABET[0]))
    return bytes(zeros) + number.to_bytes((number.bit_length() + 7) // 8, "big")
