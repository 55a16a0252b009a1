"""Pieces: work as a generator that yields where others may have their turn; it returns what it found."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias, TypeVar, cast

if TYPE_CHECKING:
    from collections.abc import Generator

__all__ = ["Pieces", "at_once"]

T = TypeVar("T")
#: Such work; what it returns.
Pieces: TypeAlias = "Generator[None, None, T]"


def at_once(work: Pieces[T]) -> T:
    """Do all of it now; what it returns."""
    while True:
        try:
            next(work)
        except StopIteration as done:
            return cast("T", done.value)
