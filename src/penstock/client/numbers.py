"""Which channel numbers of a connection are in use. A number is free again when both ends have closed it."""

from __future__ import annotations

from typing import Final

from penstock.errors import NotConnected

__all__ = ["MOST_CHANNELS", "ChannelNumbers"]

#: Channel numbers have sixteen bits.
MOST_CHANNELS: Final = 65_535


class ChannelNumbers:
    """The numbers from 1 to the limit agreed with the broker."""

    __slots__ = ("_free", "_most", "_used")

    def __init__(self, most: int = 0) -> None:
        """Zero is no limit, as on the wire."""
        self._most = most or MOST_CHANNELS
        #: The highest number ever taken.
        self._used = 0
        self._free: list[int] = []

    def __repr__(self) -> str:
        return f"<ChannelNumbers {self._used - len(self._free)} of {self._most} taken>"

    @property
    def has_room(self) -> bool:
        """Whether another one can be taken."""
        return bool(self._free) or self._used < self._most

    def take(self) -> int:
        """A number that nobody uses.

        Raises:
            NotConnected: there is none.
        """
        if not self.has_room:
            raise NotConnected(f"all {self._most} channels of the connection are in use")
        if self._free:
            return self._free.pop()
        self._used += 1
        return self._used

    def give_back(self, number: int) -> None:
        """It is free again."""
        self._free.append(number)
