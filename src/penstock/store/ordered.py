"""Ordered: a dictionary that can be read in order of its keys, from any key on.

Keys mostly come in order and leave in order. A key that left stays in the sorted list until half of
the list is of that kind, so adding and removing cost the same however many there are.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Ordered"]

K = TypeVar("K", bound=Any)
V = TypeVar("V")

#: Sweeping a handful is not worth the call.
FEW: Final = 64


class Ordered(Generic[K, V]):
    """Values by key, and the keys in order."""

    __slots__ = ("_keys", "_values")

    def __init__(self) -> None:
        self._values: dict[K, V] = {}
        self._keys: list[K] = []

    def __len__(self) -> int:
        return len(self._values)

    def __setitem__(self, key: K, value: V) -> None:
        if not self._keys or key > self._keys[-1]:
            self._keys.append(key)
        elif key not in self._values:
            at = bisect_left(self._keys, key)
            if self._keys[at] != key:
                self._keys.insert(at, key)
        self._values[key] = value

    def pop(self, key: K) -> V | None:
        """Take it out, if it is there."""
        value = self._values.pop(key, None)
        if len(self._keys) > FEW and len(self._keys) > 2 * len(self._values):
            self._keys = [kept for kept in self._keys if kept in self._values]
        return value

    def since(self, key: K) -> Iterator[tuple[K, V]]:
        """From this key on, in order; it must not change meanwhile."""
        for at in range(bisect_left(self._keys, key), len(self._keys)):
            found = self._keys[at]
            if found in self._values:
                yield found, self._values[found]
