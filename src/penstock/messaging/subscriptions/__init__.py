"""Subscriptions: consumers at work on their queues, and what becomes of messages that fail."""

from penstock.messaging.subscriptions.batches import Delivered
from penstock.messaging.subscriptions.breaker import Pausing
from penstock.messaging.subscriptions.consumer import Batching, Consumer
from penstock.messaging.subscriptions.context import Context
from penstock.messaging.subscriptions.counters import Counters
from penstock.messaging.subscriptions.failure import ErrorClass, ErrorClasses, Failure
from penstock.messaging.subscriptions.strategies import (
    AtMostOnce,
    Backoff,
    DeadLetters,
    ForwardTo,
    Immediate,
    Rejecting,
    Republish,
    Requeue,
    RetryStrategy,
)
from penstock.messaging.subscriptions.subscription import Subscription
from penstock.messaging.subscriptions.verdicts import (
    DeadLetter,
    Drop,
    Forward,
    Redeliver,
    Reject,
    Retry,
    Verdict,
)
from penstock.messaging.subscriptions.watching import Watch

__all__ = [
    "AtMostOnce",
    "Backoff",
    "Batching",
    "Consumer",
    "Context",
    "Counters",
    "DeadLetter",
    "DeadLetters",
    "Delivered",
    "Drop",
    "ErrorClass",
    "ErrorClasses",
    "Failure",
    "Forward",
    "ForwardTo",
    "Immediate",
    "Pausing",
    "Redeliver",
    "Reject",
    "Rejecting",
    "Republish",
    "Requeue",
    "Retry",
    "RetryStrategy",
    "Subscription",
    "Verdict",
    "Watch",
]
