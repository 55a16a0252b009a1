"""A shelf in the memory of one process. The first adapter, and the default."""

from __future__ import annotations

from dataclasses import dataclass
from heapq import heappop, heappush
from typing import TYPE_CHECKING, ParamSpec, TypeVar
from uuid import uuid4

from penstock.workers.cached.shelf import Claim, Entry

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["MemoryShelf"]

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(slots=True)
class _Slot:
    """A claim, and what came of it."""

    token: str
    #: Until then the claim holds, or the value if there is one.
    until: float
    value: bytes | None = None
    #: The job that makes the value.
    maker: str = ""


class MemoryShelf:
    """Values of this process. For one event loop."""

    is_shared = False

    def __init__(self) -> None:
        #: Those with a value stand in the order they were kept in, as dicts do.
        self._slots: dict[str, dict[str, _Slot]] = {}
        self._sizes: dict[str, int] = {}
        #: When claims and values end, with their key and token, the next first; of some that are gone, too.
        self._ends: dict[str, list[tuple[float, str, str]]] = {}

    def __repr__(self) -> str:
        return f"<MemoryShelf of {sum(map(len, self._slots.values()))}, {sum(self._sizes.values())} bytes>"

    async def run(self, verb: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Have it done, at once."""
        return verb(*args, **kwargs)

    def claim(self, entry: Entry, *, now: float, until: float, maker: str = "") -> bytes | Claim:
        """The value, or the claim on it."""
        slot = self._slots.get(entry.cache, {}).get(entry.key)
        if slot is None or slot.until <= now:
            self.forget(entry)
            made = _Slot(uuid4().hex, until, maker=maker)
            self._slots.setdefault(entry.cache, {})[entry.key] = made
            self._will_end(entry, made.token, until)
            self._expire(entry.cache, now)
            return Claim(made.token, until, is_own=True)
        if slot.value is not None:
            return slot.value
        is_own = maker != "" and slot.maker in {"", maker}
        if is_own:
            slot.maker, slot.until = maker, until
            self._will_end(entry, slot.token, until)
        return Claim(slot.token, slot.until, is_own)

    def renew(self, entry: Entry, token: str, until: float) -> None:
        """Have a claim hold until then."""
        slot = self._slots.get(entry.cache, {}).get(entry.key)
        if slot is not None and slot.token == token and slot.value is None:
            slot.until = until
            self._will_end(entry, token, until)

    def keep(
        self, entry: Entry, token: str, value: bytes, *, now: float, expires_at: float, room: int
    ) -> bool:
        """Keep a value whose claim stands."""
        slots = self._slots.get(entry.cache, {})
        slot = slots.get(entry.key)
        if slot is None or slot.token != token:
            return False
        self.forget(entry)
        if len(value) > room:
            return False
        self._slots.setdefault(entry.cache, {})[entry.key] = _Slot(token, expires_at, value)
        self._sizes[entry.cache] = self._sizes.get(entry.cache, 0) + len(value)
        self._will_end(entry, token, expires_at)
        self._expire(entry.cache, now)
        self._make_room(entry.cache, room)
        return True

    def release(self, entry: Entry, token: str) -> None:
        """Give up a claim."""
        slot = self._slots.get(entry.cache, {}).get(entry.key)
        if slot is not None and slot.token == token and slot.value is None:
            self.forget(entry)

    def forget(self, entry: Entry) -> None:
        """Have no value, and no claim."""
        slots = self._slots.get(entry.cache, {})
        slot = slots.pop(entry.key, None)
        if slot is not None and slot.value is not None:
            self._sizes[entry.cache] -= len(slot.value)

    def _will_end(self, entry: Entry, token: str, at: float) -> None:
        heappush(self._ends.setdefault(entry.cache, []), (at, entry.key, token))

    def _expire(self, cache: str, now: float) -> None:
        """Let go of what holds no longer, value or claim."""
        slots, ends = self._slots[cache], self._ends[cache]
        while ends and ends[0][0] <= now:
            _, key, token = heappop(ends)
            slot = slots.get(key)
            if slot is None or slot.token != token:
                continue
            if slot.until <= now:
                self.forget(Entry(cache, key))
            else:
                # It was extended, or has a value by now.
                heappush(ends, (slot.until, key, token))

    def _make_room(self, cache: str, room: int) -> None:
        """Let go of what was kept longest ago."""
        slots = self._slots[cache]
        while self._sizes[cache] > room:
            oldest = next(key for key, slot in slots.items() if slot.value is not None)
            self.forget(Entry(cache, oldest))
