"""Numbers, texts and names as a statement writes them → what they mean.

Pure text work: knows neither the grammar nor the tree. Raises ValueError with a reason; the caller
knows the column.
"""

from __future__ import annotations

import re
from math import isinf
from typing import Final

__all__ = ["KEYWORDS", "is_bare_name", "read_name", "read_number", "read_text", "write_name", "write_text"]

KEYWORDS: Final = frozenset(
    {"AND", "OR", "NOT", "BETWEEN", "IN", "LIKE", "ESCAPE", "IS", "NULL", "TRUE", "FALSE"}
)
#: As far as any integer property of AMQP reaches, unsigned 64 bits; Java's long is half of it.
LARGEST: Final = 2**64 - 1

BARE_NAME: Final = re.compile(r"(?:[^\W\d]|\$)[\w$]*")
HEXADECIMAL: Final = re.compile(r"0[xX]([0-9A-Fa-f]+)[lL]?")
INTEGER: Final = re.compile(r"([0-9]+)[lL]?")
FLOAT: Final = re.compile(r"((?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)[fFdD]?")


def read_number(written: str) -> int | float:
    """A number without its sign, in Java's spelling: 57, 91L, 0x1F, 7., .5, 7E3, 57.9e-2."""
    if found := HEXADECIMAL.fullmatch(written):
        return _in_reach(int(found[1], 16), written)
    if found := INTEGER.fullmatch(written):
        return _integer(found[1])
    if found := FLOAT.fullmatch(written):
        value = float(found[1])
        if isinf(value):
            raise ValueError(f"{written} is too large a number")
        return value
    raise ValueError(f"{written} is not a number")


def _integer(digits: str) -> int:
    if digits.startswith("0") and digits.strip("0"):
        # Java and JMS read octal, people and SQL read decimal: neither is guessed.
        raise ValueError(f"{digits} begins with 0, which could mean octal: write {digits.lstrip('0')}")
    return _in_reach(int(digits), digits)


def _in_reach(value: int, written: str) -> int:
    if value > LARGEST:
        raise ValueError(f"{written} is too large a number: integers go up to {LARGEST}")
    return value


def read_text(written: str) -> str:
    """A text without its quotes: 'it''s' → it's."""
    return written[1:-1].replace("''", "'")


def write_text(text: str) -> str:
    """A text in quotes: it's → 'it''s'."""
    return "'" + text.replace("'", "''") + "'"


def read_name(written: str) -> str:
    """A name without its quotes, which double within."""
    return written[1:-1].replace('""', '"')


def is_bare_name(name: str) -> bool:
    """Whether a name can stand without quotes: a Java identifier that is no keyword."""
    return BARE_NAME.fullmatch(name) is not None and not (name.isascii() and name.upper() in KEYWORDS)


def write_name(name: str) -> str:
    """A property's name, in double quotes only if it needs them."""
    if is_bare_name(name):
        return name
    return '"' + name.replace('"', '""') + '"'
