"""What was read lately, kept in memory: bounded in entries and in bytes, and safe between threads."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Cache"]

#: Contents; Orb's number.
ENTRIES: Final = 1000
#: Bytes of all of them. A full chunk file may have ten million, and a thousand of those would be too much.
BYTES: Final = 64 * 1024 * 1024


class Cache:
    """The contents that were used last."""

    def __init__(self, *, entries: int = ENTRIES, size: int = BYTES) -> None:
        self._most = entries
        self._room = size
        self._held: OrderedDict[str, bytes] = OrderedDict()
        self._bytes = 0
        self._lock = Lock()

    def get(self, name: str) -> bytes | None:
        """The content of that hash, if it is still here."""
        with self._lock:
            data = self._held.get(name)
            if data is not None:
                self._held.move_to_end(name)
            return data

    def put(self, name: str, data: bytes) -> None:
        """Keep it; those that were not used for longest make room."""
        if len(data) > self._room:
            return
        with self._lock:
            self._bytes += len(data) - len(self._held.pop(name, b""))
            self._held[name] = data
            while self._bytes > self._room or len(self._held) > self._most:
                _, oldest = self._held.popitem(last=False)
                self._bytes -= len(oldest)

    def __reduce__(self) -> tuple[Callable[[int, int], Cache], tuple[int, int]]:
        # Sent to another process it is empty: a content is read again sooner than sent.
        return _empty, (self._most, self._room)

    def __len__(self) -> int:
        return len(self._held)

    def __repr__(self) -> str:
        return f"<Cache {len(self._held)} contents, {self._bytes} bytes>"


def _empty(entries: int, size: int) -> Cache:
    return Cache(entries=entries, size=size)
