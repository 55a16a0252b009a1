"""Columns that say much with little: whoever has rows that are alike need not write each of them down."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Eras", "JoinedBytes", "Same"]


class Same:
    """A column that says one thing so many times."""

    __slots__ = ("count", "value")

    def __init__(self, value: Any, count: int) -> None:
        self.value = value
        self.count = count

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, rows: slice) -> Same:
        """Some of it."""
        return Same(self.value, len(range(self.count)[rows]))


class JoinedBytes:
    """A column of bytes that are one piece already."""

    __slots__ = ("data", "lengths")

    def __init__(self, data: bytes | memoryview, lengths: Sequence[int]) -> None:
        self.data = data
        #: How long each is.
        self.lengths = lengths

    def __len__(self) -> int:
        return len(self.lengths)

    def __getitem__(self, rows: slice) -> JoinedBytes:
        """Some of them."""
        first, below, _ = rows.indices(len(self.lengths))
        if below - first == len(self):
            return self
        start, size = sum(self.lengths[:first]), sum(self.lengths[first:below])
        return JoinedBytes(memoryview(self.data)[start : start + size], self.lengths[first:below])


class Eras:
    """A column of moments: what came together says one moment, and what came later another."""

    __slots__ = ("eras",)

    def __init__(self, eras: Sequence[tuple[float, int]]) -> None:
        #: Seconds since 1970, and how many say so.
        self.eras = eras

    def __len__(self) -> int:
        return sum(count for _, count in self.eras)

    def __getitem__(self, rows: slice) -> Eras:
        """Some of them."""
        first, below, _ = rows.indices(len(self))
        kept, at = [], 0
        for moment, count in self.eras:
            kept.append((moment, max(min(at + count, below) - max(at, first), 0)))
            at += count
        return Eras(kept)
