"""A queue in memory, for tests of what stands above the port. It keeps the same promises as the adapters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.client.reader import ReaderState

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from penstock.errors import ReaderInUse


class MemoryTaking:
    """Messages of ten bytes."""

    def __init__(self, waiting: int = 0) -> None:
        self.waiting = waiting
        self.taken = 0
        self.committed = 0
        self.commits: list[int] = []
        self.held_by: ReaderInUse | None = None
        self.leases: list[tuple[str, float]] = []
        self.is_closed = False

    def open(self) -> ReaderState:
        return ReaderState(committed=self.committed, taken=self.taken, waiting=self.waiting, oldest_at=None)

    def lease(self, holder: str, seconds: float) -> None:
        if self.held_by is not None and self.held_by.holder == holder and not seconds:
            self.held_by = None
        if self.held_by is not None:
            raise self.held_by
        self.leases.append((holder, seconds))

    def take(self, after: int, rows: int, size: int, target: int | None = None) -> int:
        if target is not None:
            rows = min(rows, target - after)
        if rows <= 0:
            return after
        if after >= self.taken and self.waiting:
            count = min(rows, max(size // 10, 1), self.waiting)
            self.taken += count
            self.waiting -= count
        return min(self.taken, after + rows)

    def read(self, start: int, end: int, columns: Sequence[str]) -> Iterator[Any]:
        raise NotImplementedError

    def commit(self, position: int) -> None:
        if position > self.committed:
            self.committed = position
            self.commits.append(position)

    def close(self) -> None:
        self.is_closed = True
