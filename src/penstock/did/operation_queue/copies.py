"""What is published of a detached operation: the operation anew, later, or a dead letter. Pure."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from penstock.did.operation_queue.detached import REFUSED
from penstock.did.operation_queue.operation import RETRIES, message_of
from penstock.messaging import headers as names
from penstock.messaging.message import Destination
from penstock.messaging.subscriptions.copies import LONGEST_ERROR

if TYPE_CHECKING:
    from penstock.did.operation_queue.detached import Claimed
    from penstock.did.queues import DomainQueues
    from penstock.messaging.message import Message
    from penstock.messaging.redelivery import RedeliveryPolicy

__all__ = ["CONSUMER", "copy_of", "is_discarded"]

#: Whose dead letters they are.
CONSUMER: Final = "operation-queue"


def is_discarded(claimed: Claimed, policy: RedeliveryPolicy) -> bool:
    """Whether it is not tried again."""
    return claimed.posted.retries > policy.max_attempts


def copy_of(
    claimed: Claimed, policy: RedeliveryPolicy, queues: DomainQueues, now: float
) -> tuple[Message, Destination]:
    """The message, and where it goes."""
    posted = claimed.posted
    if not is_discarded(claimed, policy):
        delay = policy.interval(posted.retries)
        return message_of(posted, delay=delay), queues.destination(queues.operation)
    # Redriven from the dead letters, it has all its tries again.
    message = message_of(posted._replace(retries=0))
    is_refused = posted.retries == REFUSED
    attempts = 1 if is_refused else posted.retries
    headers = {
        RETRIES: attempts - 1,
        names.ATTEMPTS: attempts,
        names.CONSUMER: CONSUMER,
        names.QUEUE: queues.operation,
        names.REASON: "it can be in no batch" if is_refused else f"posted anew {attempts - 1} times",
        names.ERROR: claimed.error[:LONGEST_ERROR],
        names.FIRST_FAILURE: f"{claimed.added_at:.3f}",
        names.LAST_FAILURE: f"{now:.3f}",
        names.EXCHANGE: queues.domain,
        names.KEY: queues.operation,
    }
    return replace(message, headers=headers), Destination.queue(queues.dead_letters)
