"""A dead letter that is kept already, and the same one arriving once more. Pure.

A message may arrive twice because the keeper was interrupted between commit and ack, or because it was
redriven and failed again; the count of redrives, which the message carries, tells the two apart.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from penstock.messaging.dead_letters.reading import LARGEST
from penstock.messaging.dead_letters.record import REDRIVEN

if TYPE_CHECKING:
    from penstock.messaging.dead_letters.record import DeadLetter

__all__ = ["merged"]


def merged(kept: DeadLetter, arrived: DeadLetter) -> DeadLetter:
    """What is to be kept of both; `kept` itself if the arrival is an echo of what was redriven since."""
    if arrived.redriven < kept.redriven:
        return kept
    has_failed_again = kept.state == REDRIVEN or arrived.redriven > kept.redriven
    attempts = kept.attempts + arrived.attempts if has_failed_again else max(kept.attempts, arrived.attempts)
    newer = arrived if arrived.last_failure >= kept.last_failure or has_failed_again else kept
    return replace(
        newer,
        attempts=min(attempts, LARGEST),
        first_failure=min(kept.first_failure, arrived.first_failure),
        last_failure=max(kept.last_failure, arrived.last_failure),
        redriven_at=kept.redriven_at,
        # One that was edited has been seen to; an echo of it changes nothing.
        state=arrived.state if has_failed_again else kept.state,
        retry_of=arrived.retry_of or kept.retry_of,
        retried_as=kept.retried_as,
    )
