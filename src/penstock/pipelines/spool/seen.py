"""Which messages were spooled lately, so that a second delivery of one is known for what it is.

A broker delivers again what it did not hear the acknowledgement of: after a crash of this side as much as
is in hand, after a crash of its own what it had not written down yet. The same message has the same id and
the same body; two messages whose sender uses an id twice are told apart by their bodies.
"""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["REMEMBERED", "Seen", "key_of"]

#: Messages. RabbitMQ 3.10, killed, forgot up to a second's acknowledgements; this is some ten seconds' at
#: full speed.
REMEMBERED: Final = 200_000


def key_of(message_id: bytes | None, body: bytes) -> bytes:
    """What a message is known by; empty for one without an id, which cannot be known again."""
    return message_id + zlib.crc32(body).to_bytes(4, "little") if message_id else b""


class Seen:
    """The last so many keys at least, and at most twice as many."""

    __slots__ = ("_most", "_new", "_old")

    def __init__(self, most: int = REMEMBERED) -> None:
        # Two generations: to forget the older one as a whole costs nothing, to find the oldest keys of one
        # great set took 1 µs a message.
        self._new: set[bytes] = set()
        self._old: set[bytes] = set()
        self._most = most

    def __repr__(self) -> str:
        return f"<Seen {len(self)} of {self._most}>"

    def __len__(self) -> int:
        return len(self._new) + len(self._old)

    def repeated(self, keys: Sequence[bytes]) -> set[int]:
        """The places of those that were seen before, here or earlier in the same lot."""
        lot = {*keys} - {b""}
        is_each_its_own = len(lot) + keys.count(b"") == len(keys)
        # The usual case takes no look at each.
        if is_each_its_own and self._new.isdisjoint(lot) and self._old.isdisjoint(lot):
            return set()
        places: set[int] = set()
        here: set[bytes] = set()
        for place, key in enumerate(keys):
            if key in here or key in self._new or key in self._old:
                places.add(place)
            elif key:
                here.add(key)
        return places

    def add(self, keys: Iterable[bytes]) -> None:
        """They are on disk."""
        self._new.update(keys)
        self._new.discard(b"")
        if len(self._new) >= self._most:
            self._old, self._new = self._new, set()
