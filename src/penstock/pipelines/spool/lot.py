"""A lot: messages in hand that came together, side by side, and whom to tell when they are on disk."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from penstock.wire.amqp import content_frames
from penstock.wire.arrow import Same

if TYPE_CHECKING:
    from collections.abc import Container, Sequence

    from penstock.pipelines.spool.feed import Fed

__all__ = ["Lot"]


@dataclass(frozen=True, slots=True)
class Lot:
    """Columns of one length; the broker keeps what they show until it is acknowledged."""

    #: Content header and body frames of each, on whatever channel they came.
    frames: Sequence[bytes]
    exchanges: Sequence[str] | Same
    routing_keys: Sequence[str] | Same
    redelivered: Sequence[bool] | Same
    #: What its feed acknowledges.
    origin: Any = None

    def __len__(self) -> int:
        return len(self.frames)

    @classmethod
    def of(cls, messages: Sequence[Fed], origin: Any = None) -> Lot:
        """Of messages that were looked at one by one."""
        return cls(
            frames=[content_frames(0, message.properties, message.body, 0) for message in messages],
            exchanges=[message.exchange for message in messages],
            routing_keys=[message.routing_key for message in messages],
            redelivered=[message.redelivered for message in messages],
            origin=origin,
        )

    def without(self, places: Container[int]) -> Lot:
        """The others."""
        return replace(
            self,
            frames=_others(self.frames, places),
            exchanges=_others(self.exchanges, places),
            routing_keys=_others(self.routing_keys, places),
            redelivered=_others(self.redelivered, places),
        )


def _others(column: Sequence[Any] | Same, places: Container[int]) -> list[Any]:
    values = [column.value] * column.count if isinstance(column, Same) else column
    return [value for place, value in enumerate(values) if place not in places]
