"""What is to be done with a message that a handler has failed on. Values; failing.py does it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from penstock.messaging.message import Destination

__all__ = ["DeadLetter", "Drop", "Forward", "Redeliver", "Reject", "Retry", "Verdict"]


@dataclass(frozen=True, slots=True)
class Retry:
    """A copy, which knows of one attempt more, goes to the same queue, after so many seconds."""

    after: float = 0.0


@dataclass(frozen=True, slots=True)
class Redeliver:
    """It goes back to its queue at once, as if it had not been tried: nobody counts this."""


@dataclass(frozen=True, slots=True)
class Forward:
    """A copy goes somewhere else, for somebody else to try."""

    to: Destination


@dataclass(frozen=True, slots=True)
class DeadLetter:
    """A copy with all that is known of the failure goes to the dead letters."""

    reason: str = ""


@dataclass(frozen=True, slots=True)
class Reject:
    """The broker sends it to its queue's dead-letter home, which knows nothing of the error."""


@dataclass(frozen=True, slots=True)
class Drop:
    """It is gone. Only for messages that were settled before they were handled."""


Verdict = Retry | Redeliver | Forward | DeadLetter | Reject | Drop
