"""What becomes of jobs that fail, and of jobs that come again without a word from whoever had them. Pure.

A handler that fails is its route's business. A worker that dies says nothing, so nobody has counted: a job
that a worker had before is replaced by a copy that knows of one try more, on every broker alike, before it
is begun. A job that ends its worker, or its process, is a dead letter in the end.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from penstock.errors import ProcessDied, TakenBefore, TakenTooOften, TimeLimitExceeded
from penstock.messaging import Backoff
from penstock.messaging.subscriptions import DeadLetter, Retry
from penstock.workers.form import read_form

if TYPE_CHECKING:
    from penstock.messaging import Received
    from penstock.messaging.subscriptions import Failure, Verdict
    from penstock.workers.routes import Routes

__all__ = ["MAX_RESERVES", "JobRetry", "judge"]

#: Tries that end in silence or in a time limit, as in Keno Antigen: more than so many is a poison job.
MAX_RESERVES: Final = 10
#: Seconds before the copy of a job that was taken before comes. One that ends its worker at once would
#: otherwise do so before the original's ack has left, and both would come again.
SETTLED_AFTER_S: Final = 1.0
#: What a worker had in hand comes again together, and the one job among it that ends workers would take the
#: others along each time, until all of them are buried. So from the second time on they come apart, by chance
#: and ever further; seconds.
APART: Final = Backoff(initial=1.0, multiplier=2.0, cap=60.0)
#: Failures that do not say what is wrong with a job: how patient its route is does not matter in the end.
SILENT: Final = {
    TimeLimitExceeded: "and never in time",
    ProcessDied: "and the process that did it died",
}
#: What a broker that counts (a quorum queue) writes on a message that comes again.
COUNTS: Final = frozenset({"x-acquired-count", "x-delivery-count"})


def judge(received: Received, max_reserves: int) -> None:
    """Look at a job that a worker had before.

    Raises:
        TakenBefore: that is to be counted before it is begun.
        TakenTooOften: it is not to be begun again.
    """
    message = received.message
    is_counted = not COUNTS.isdisjoint(message.headers)
    # Where nobody counts, all that is known is that there was one more.
    tries = message.attempts + (received.delivery_count if is_counted else 1)
    if tries >= max_reserves:
        raise TakenTooOften(f"it was tried {tries} times, and no worker has finished it")
    if not is_counted:
        raise TakenBefore("a worker had it before, and went without a word")


@dataclass(frozen=True, slots=True)
class JobRetry:
    """The retry strategy of a worker: that of each job's route."""

    routes: Routes
    max_reserves: int = MAX_RESERVES

    def decide(self, failure: Failure) -> Verdict:
        if isinstance(failure.error, TakenBefore):
            spread = APART.wait(failure.attempts) * failure.chance if failure.attempts > 1 else 0.0
            return Retry(SETTLED_AFTER_S + spread)
        how = next((how for kind, how in SILENT.items() if isinstance(failure.error, kind)), None)
        if how is not None and failure.attempts >= self.max_reserves:
            return DeadLetter(f"tried {failure.attempts} times, {how}")
        # It was read before it failed; what cannot be read is persistent, and nobody asks about it.
        return self.routes.find(read_form(failure.message.body).route).retry.decide(failure)
