"""The limits two peers agree on when a connection opens (AMQP 0-9-1 reference: connection.tune).

Arithmetic only; `handshake.py` says when.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from penstock.wire.amqp.constants import DEFAULT_FRAME_MAX, FRAME_MIN_SIZE

if TYPE_CHECKING:
    from penstock.wire.amqp.methods import ConnectionTune

__all__ = ["Tuning"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tuning:
    """The limits of a connection. Zero is none; of two, the lower."""

    channel_max: int = 2047
    frame_max: int = DEFAULT_FRAME_MAX
    #: Seconds; zero is no heartbeat.
    heartbeat: int = 60

    def agreed(self, theirs: ConnectionTune) -> Tuning:
        """What a client answers to a server's proposal."""
        return Tuning(
            channel_max=_lower(self.channel_max, theirs.channel_max),
            frame_max=_lower(self.frame_max, theirs.frame_max),
            heartbeat=_lower(self.heartbeat, theirs.heartbeat),
        )

    def refusal(self, theirs: Tuning) -> str | None:
        """Why a server cannot have what a client settled on, as RabbitMQ words it."""
        for name in ("channel_max", "frame_max"):
            ours, wanted = getattr(self, name), getattr(theirs, name)
            if ours and not 0 < wanted <= ours:
                return f"negotiated {name} = {wanted} is higher than the maximum allowed value ({ours})"
        if 0 < theirs.frame_max < FRAME_MIN_SIZE:
            return f"negotiated frame_max = {theirs.frame_max} is lower than the minimum ({FRAME_MIN_SIZE})"
        return None


def _lower(ours: int, theirs: int) -> int:
    return min(ours, theirs) if ours and theirs else ours or theirs
