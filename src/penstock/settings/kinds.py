"""The kinds of values a setting can have: how one is read, shown and described.

A value comes from a TOML file with a type of its own, or as text from the environment and the command
line; every reader takes both. Readers raise ValueError with words for the person who wrote the value.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from penstock.settings.address import Address
from penstock.settings.quantities import (
    read_duration,
    read_share_or_size,
    read_size,
    shown_duration,
    shown_share_or_size,
    shown_size,
)

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = [
    "ADDRESSES",
    "FILE",
    "NAMES",
    "SECRET",
    "TEXT",
    "Kind",
    "choice",
    "count",
    "duration",
    "optional",
    "seconds",
    "share_or_size",
    "size",
]

#: Where a share or a size is asked for, a smaller size is a share that lacks its sign.
LEAST_SIZE: Final = 1 << 20
#: The text for "no limit" and "not set".
NONE: Final = "none"


@dataclass(frozen=True, slots=True)
class Kind:
    """How a setting's value is written."""

    #: What it takes, in words.
    takes: str
    read: Callable[[Any], Any]
    #: The value as one would write it.
    shown: Callable[[Any], str] = str
    #: What --help shows in place of the value.
    metavar: str = "TEXT"
    is_list: bool = False
    is_secret: bool = False


def size(least: int, most: int) -> Kind:
    """Bytes."""
    takes = f"a size from {shown_size(least)} to {shown_size(most)}"
    return Kind(takes, _bounded(read_size, shown_size, least, most), shown_size, "SIZE")


def duration(least: float, most: float) -> Kind:
    """Seconds."""
    takes = f"a duration from {shown_duration(least)} to {shown_duration(most)}"
    return Kind(takes, _bounded(read_duration, shown_duration, least, most), shown_duration, "DURATION")


def seconds(least: int, most: int) -> Kind:
    """Whole seconds, as an int."""

    def read(value: Any) -> int:
        found = read_duration(value)
        if found % 1:
            raise ValueError(f"{value!r} is not a whole number of seconds")
        return int(found)

    takes = f"whole seconds, or a duration, from {shown_duration(least)} to {shown_duration(most)}"
    return Kind(takes, _bounded(read, shown_duration, least, most), shown_duration, "DURATION")


def share_or_size(least: float, most: float) -> Kind:
    """A share of the whole as a float within the bounds, or bytes as an int."""

    def read(value: Any) -> float | int:
        found = read_share_or_size(value)
        if isinstance(found, float) and not least <= found <= most:
            raise ValueError(f"{shown_share_or_size(found)} is not from {bounds}")
        if isinstance(found, int) and found < LEAST_SIZE:
            raise ValueError(f"{shown_size(found)} is less than {shown_size(LEAST_SIZE)}")
        return found

    bounds = f"{shown_share_or_size(least)} to {shown_share_or_size(most)}"
    return Kind(f"a share from {bounds}, or a size", read, shown_share_or_size, "SHARE|SIZE")


def count(least: int, most: int) -> Kind:
    """A whole number."""
    return Kind(f"a number from {least} to {most}", _bounded(_read_count, str, least, most), str, "NUMBER")


def choice(*words: str) -> Kind:
    """One of these words. A number is taken as its text: TOML's 4.3 is the word "4.3"."""

    def read(value: Any) -> str:
        word = str(value).strip().lower()
        if word not in words:
            raise ValueError(f"{value!r} is not one of {', '.join(words)}")
        return word

    return Kind(" or ".join(words), read, str, "WORD")


def optional(kind: Kind) -> Kind:
    """The same, or nothing."""

    def read(value: Any) -> Any:
        is_none = value is None or (isinstance(value, str) and value.strip().lower() == NONE)
        return None if is_none else kind.read(value)

    def shown(value: Any) -> str:
        return NONE if value is None else kind.shown(value)

    return Kind(f"{kind.takes}, or {NONE}", read, shown, kind.metavar, is_secret=kind.is_secret)


def _bounded(
    read: Callable[[Any], float], shown: Callable[[Any], str], least: float, most: float
) -> Callable[[Any], float]:
    def read_bounded(value: Any) -> float:
        found = read(value)
        if not least <= found <= most:
            raise ValueError(f"{value!r} is not from {shown(least)} to {shown(most)}")
        return found

    return read_bounded


def _read_count(value: Any) -> int:
    text = value.strip() if isinstance(value, str) else value
    if isinstance(text, str) and text.isascii() and text.isdigit():
        return int(text[:20])
    if not isinstance(text, int) or isinstance(text, bool):
        raise ValueError(f"{value!r} is not a whole number")  # noqa: TRY004  a wrong value, not a wrong program
    return text


def _read_text(value: Any) -> str:
    if not isinstance(value, str) or not value:
        raise ValueError(f"{value!r} is not a text of at least one character")
    return value


def _read_secret(value: Any) -> str:
    if not isinstance(value, str) or not value:
        raise ValueError("it must be a text of at least one character")
    return value


def _read_file(value: Any) -> Path:
    if isinstance(value, Path):
        return value
    return Path(_read_text(value)).expanduser()


def _read_list(read: Callable[[Any], Any]) -> Callable[[Any], tuple[Any, ...]]:
    def read_list(value: Any) -> tuple[Any, ...]:
        parts = value.split(",") if isinstance(value, str) else value
        if not isinstance(parts, list | tuple):
            raise ValueError(f"{value!r} is not a list")  # noqa: TRY004  as above
        words = [part.strip() if isinstance(part, str) else part for part in parts]
        return () if words in ([NONE], [""]) else tuple(read(word) for word in words)

    return read_list


def _shown_list(values: tuple[Any, ...]) -> str:
    return ", ".join(map(str, values)) or NONE


TEXT: Final = Kind("a text", _read_text)
#: Never shown, and not taken from the command line, where every user of the machine can read it.
SECRET: Final = Kind("a text", _read_secret, lambda _value: "***", is_secret=True)
FILE: Final = Kind("a path", _read_file, str, "PATH")
NAMES: Final = Kind("names", _read_list(_read_text), _shown_list, "NAME", is_list=True)
ADDRESSES: Final = Kind("addresses", _read_list(Address.read), _shown_list, "HOST:PORT", is_list=True)
