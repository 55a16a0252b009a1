"""Property lists like the last one: what a producer says of its messages differs in id and time alone.

What was checked in the last list is not checked again in the next: 0.7 µs in place of 2.5, for whoever takes
many messages of one producer. And who reads them finds what he has read before by `BasicProperties.kind`.
"""

from __future__ import annotations

from typing import Final

from penstock.wire.amqp.identity import MESSAGE_ID, TIME_SIZE, TIMESTAMP, id_place, kind_of
from penstock.wire.amqp.interned import Interned
from penstock.wire.amqp.properties import BasicProperties
from penstock.wire.amqp.table import MAX_DEPTH

__all__ = ["Kinds"]

#: Less than any length, so that nothing is like a list that there has not been.
_NEVER: Final = -(1 << 16)


class Kinds(Interned):
    """An Interned for one end of one connection, which knows the kind of the last message that had an id."""

    __slots__ = ("_after", "_before", "_id_at", "_kind", "_rest")

    def __init__(self, depth: int = MAX_DEPTH) -> None:
        super().__init__(depth)
        self._kind = self._before = self._after = b""
        self._id_at = 0
        #: Bytes of the list without its id.
        self._rest = _NEVER

    def parse_properties(self, raw: bytes) -> BasicProperties:
        try:
            if (
                raw.startswith(self._before)
                and raw.endswith(self._after)
                and len(raw) == self._rest + raw[self._id_at]
            ):
                # Not kept: an id does not come again.
                return BasicProperties(raw, self._kind)
        except IndexError:  # it ends where the id of the last one began
            pass
        properties = super().parse_properties(raw)
        if properties.flags & MESSAGE_ID:
            self._learn(properties)
        return properties

    def _learn(self, properties: BasicProperties) -> None:
        raw = properties.raw
        kind = properties.kind = kind_of(raw)
        time_size = TIME_SIZE if properties.flags & TIMESTAMP else 0
        self._id_at = at = id_place(raw)
        self._kind, self._before, self._after = kind, raw[:at], kind[at:]
        self._rest = len(kind) + 1 + time_size
