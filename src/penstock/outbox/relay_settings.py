"""How a relay works."""

from __future__ import annotations

from dataclasses import dataclass

from penstock.errors import OutboxError

__all__ = ["RelaySettings"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RelaySettings:
    """How a relay works."""

    #: Messages that are published with one wait for their confirms.
    batch: int = 2000
    #: Bytes of their bodies that a batch should not exceed.
    batch_bytes: int = 8 * 2**20
    #: Batches of one claim: after so many, what was added meanwhile with a higher priority comes first.
    #: Relays that share the messages (see `in_order`) also mark so many with one commit.
    chain: int = 10
    #: Seconds between two looks into the table, unless a wake-up comes first.
    poll_interval: float = 1.0
    #: Seconds that the confirms of a batch may take.
    publish_timeout: float = 10.0
    #: Seconds before a failed publish is tried again: the first, by how much they grow, and the most.
    backoff_initial: float = 0.5
    backoff_multiplier: float = 2.0
    backoff_max: float = 30.0
    #: Failed tries of one message that are a critical alert; 5 as in Commonwealth's.
    alert_at: int = 5
    #: Whether several relays take turns, so that everything goes in order. If not they share the messages,
    #: and batches may overtake each other (PostgreSQL only; SQLite's relays take turns).
    in_order: bool = True
    #: Failed tries after which a message that the broker refuses for itself no longer holds up the others:
    #: it waits aside until somebody puts it back. None: it holds them up.
    set_aside_after: int | None = None
    #: Seconds that a relay on SQLite may be silent before another takes its place: longer than two publishes.
    lease: float = 60.0

    def __post_init__(self) -> None:
        if min(self.batch, self.chain, self.alert_at) < 1:
            raise OutboxError("a relay's batch, chain and alert_at are at least 1")
        # It is prolonged while a batch is under way, for the next one as well.
        if self.lease <= 2 * self.publish_timeout:
            raise OutboxError("a relay's lease must be longer than twice its publish_timeout")

    def backoff(self, failures: int) -> float:
        """Seconds to wait after so many failures in a row."""
        # The power is bounded: a float overflows at about a thousand failures.
        grown = self.backoff_initial * self.backoff_multiplier ** min(failures - 1, 64)
        return min(grown, self.backoff_max)
