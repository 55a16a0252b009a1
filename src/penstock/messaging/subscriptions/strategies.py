"""Retry strategies: values that decide what becomes of a message that a handler has failed on.

Pure: a strategy is asked with a Failure and answers with a verdict. It ends by itself: after its attempts
comes what `then` says, and without anything said the dead letters, so that no message is left in between (as
Rascal's chains leave one that has attempts and no fallback). Persistent errors are not asked about here:
whatever the strategy, they are dead letters at once.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from penstock.errors import MessagingError
from penstock.messaging.subscriptions.verdicts import DeadLetter, Drop, Forward, Redeliver, Reject, Retry

if TYPE_CHECKING:
    from penstock.messaging.message import Destination
    from penstock.messaging.subscriptions.failure import Failure
    from penstock.messaging.subscriptions.verdicts import Verdict

__all__ = [
    "AtMostOnce",
    "Backoff",
    "DeadLetters",
    "ForwardTo",
    "Immediate",
    "Rejecting",
    "Republish",
    "Requeue",
    "RetryStrategy",
    "decide",
]


class RetryStrategy(Protocol):
    """What becomes of a message that a handler has failed on."""

    def decide(self, failure: Failure) -> Verdict:
        """The verdict on this failure; called once for each."""
        ...


def decide(strategy: RetryStrategy, failure: Failure) -> Verdict:
    """The verdict: the strategy's, unless trying again will not help."""
    if failure.is_persistent:
        return DeadLetter("the error is persistent")
    return strategy.decide(failure)


@dataclass(frozen=True, slots=True)
class DeadLetters:
    """No retry: to the dead letters at once."""

    def decide(self, failure: Failure) -> Verdict:
        times = "once" if failure.attempts == 1 else f"{failure.attempts} times"
        return DeadLetter(f"tried {times}")


@dataclass(frozen=True, slots=True)
class AtMostOnce:
    """Rather miss than do twice: the message is settled before it is handled, and a failure is its end.

    For effects that cannot be made idempotent, such as a notification through somebody else's service.
    """

    def decide(self, failure: Failure) -> Verdict:
        return Drop()


@dataclass(frozen=True, slots=True)
class Rejecting:
    """The queue's own dead-letter home decides: redelivery as in Orb (redelivery/)."""

    def decide(self, failure: Failure) -> Verdict:
        return Reject()


@dataclass(frozen=True, slots=True)
class Requeue:
    """Back to the queue for as long as it takes. Only where the order matters more than the load."""

    def decide(self, failure: Failure) -> Verdict:
        return Redeliver()


@dataclass(frozen=True, slots=True, kw_only=True)
class Immediate:
    """Again at once, a few times."""

    attempts: int = 3
    then: RetryStrategy = field(default_factory=DeadLetters)

    def __post_init__(self) -> None:
        _check(self.attempts >= 0, "attempts", self.attempts)

    def decide(self, failure: Failure) -> Verdict:
        if failure.attempts > self.attempts:
            return self.then.decide(failure)
        return Retry(failure.wanted_wait)


@dataclass(frozen=True, slots=True, kw_only=True)
class Republish:
    """Again after the same time, a few times: Commonwealth's strategy, with its numbers."""

    attempts: int = 3
    #: Seconds.
    defer: float = 2.0
    then: RetryStrategy = field(default_factory=DeadLetters)

    def __post_init__(self) -> None:
        _check(self.attempts >= 0, "attempts", self.attempts)
        _check(self.defer >= 0, "defer", self.defer)

    def decide(self, failure: Failure) -> Verdict:
        if failure.attempts > self.attempts:
            return self.then.decide(failure)
        return Retry(max(self.defer, failure.wanted_wait))


@dataclass(frozen=True, slots=True, kw_only=True)
class Backoff:
    """Again after a time that grows with each attempt up to a cap, with jitter.

    The defaults are Orb's: 2, 3, 4.5 … 30 seconds, 20 attempts. Jitter takes off up to that share
    of the time, so that what failed together does not come back together.
    """

    attempts: int = 20
    #: Seconds.
    initial: float = 2.0
    multiplier: float = 1.5
    #: Seconds.
    cap: float = 30.0
    #: From 0, none, to 1, anything from now to the full time.
    jitter: float = 0.2
    then: RetryStrategy = field(default_factory=DeadLetters)

    def __post_init__(self) -> None:
        _check(self.attempts >= 0, "attempts", self.attempts)
        _check(self.initial >= 0, "initial", self.initial)
        _check(self.multiplier >= 1, "multiplier", self.multiplier)
        _check(self.cap >= self.initial, "cap", self.cap)
        _check(0 <= self.jitter <= 1, "jitter", self.jitter)

    def decide(self, failure: Failure) -> Verdict:
        if failure.attempts > self.attempts:
            return self.then.decide(failure)
        wait = self.wait(failure.attempts) * (1 - self.jitter * failure.chance)
        return Retry(max(wait, failure.wanted_wait))

    def wait(self, attempt: int) -> float:
        """Seconds after the failure of that number, counted from 1, before jitter."""
        try:
            return float(min(self.initial * self.multiplier ** (attempt - 1), self.cap))
        except OverflowError:
            return self.cap


@dataclass(frozen=True, slots=True, kw_only=True)
class ForwardTo:
    """To another destination, a few times; there, another consumer may succeed."""

    to: Destination
    attempts: int = 1
    then: RetryStrategy = field(default_factory=DeadLetters)

    def __post_init__(self) -> None:
        _check(self.attempts >= 1, "attempts", self.attempts)

    def decide(self, failure: Failure) -> Verdict:
        if failure.attempts > self.attempts:
            return self.then.decide(failure)
        return Forward(self.to)


def _check(fine: bool, name: str, value: float) -> None:  # noqa: FBT001  the condition that is checked
    if not fine:
        raise MessagingError(f"a retry strategy cannot have {name}={value}")
