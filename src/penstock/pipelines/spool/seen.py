"""Which messages were spooled lately, so that a second delivery of one is known for what it is.

A broker delivers again what it did not hear the acknowledgement of: after a crash of this side as much as
is in hand, after a crash of its own what it had not written down yet. The same message has the same id and
the same body; two messages whose sender uses an id twice are told apart by their bodies.
"""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["REMEMBERED", "Seen", "key_of"]

#: Messages. RabbitMQ 3.10, killed, forgot up to a second's acknowledgements; this is some ten seconds' at
#: full speed.
REMEMBERED: Final = 200_000


def key_of(message_id: str, body: bytes | memoryview) -> str:
    """What a message is known by; empty for one without an id, which cannot be known again."""
    return f"{message_id}\x1f{zlib.crc32(body):08x}" if message_id else ""


class Seen:
    """The last so many keys."""

    __slots__ = ("_keys", "_most")

    def __init__(self, most: int = REMEMBERED) -> None:
        # A dict is a set that knows what came first.
        self._keys: dict[str, None] = {}
        self._most = most

    def __repr__(self) -> str:
        return f"<Seen {len(self._keys)} of {self._most}>"

    def __len__(self) -> int:
        return len(self._keys)

    def is_new(self, key: str, also: set[str]) -> bool:
        """Whether nobody has seen it, neither here nor in what is about to be added; it is then."""
        if not key:
            return True
        if key in self._keys or key in also:
            return False
        also.add(key)
        return True

    def add(self, keys: Iterable[str]) -> None:
        """They are on disk."""
        self._keys.update(dict.fromkeys(key for key in keys if key))
        excess = len(self._keys) - self._most
        if excess > 0:
            for key in list(self._keys)[:excess]:
                del self._keys[key]
