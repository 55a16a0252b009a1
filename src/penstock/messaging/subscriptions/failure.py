"""A handler's failure on a message, and to which class of errors it belongs.

An error's class is looked for along its causes: `raise OrderFailed from exc` does not hide that the database
was away.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from penstock.errors import InvalidMessage, NotConnected, PersistentError, PublishError, TransientError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.messaging.message import Message

__all__ = ["ErrorClass", "ErrorClasses", "Failure"]

#: Causes of causes that are looked at.
DEEPEST = 16


class ErrorClass(Enum):
    """What an error says about trying again."""

    #: Trying again will not help.
    PERSISTENT = "persistent"
    #: Something the handler needs is away; the message is not to blame.
    TRANSIENT = "transient"
    #: Nobody said; it is tried again, and says nothing about anything but the message.
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class ErrorClasses:
    """Which errors of a handler are persistent and which transient, beside those that say so themselves."""

    persistent: tuple[type[BaseException], ...] = ()
    transient: tuple[type[BaseException], ...] = ()

    def of(self, error: BaseException) -> ErrorClass:
        """The class of the first error along the causes that has one."""
        return self._told_by(error)[0]

    def is_transient(self, error: BaseException, kinds: tuple[type[BaseException], ...]) -> bool:
        """Whether it is transient, and the error that makes it so is one of these kinds."""
        found, told_by = self._told_by(error)
        return found is ErrorClass.TRANSIENT and isinstance(told_by, kinds)

    def _told_by(self, error: BaseException) -> tuple[ErrorClass, BaseException]:
        for each in _causes(error):
            if isinstance(each, (*self.persistent, PersistentError, InvalidMessage)):
                return ErrorClass.PERSISTENT, each
            if isinstance(each, (*self.transient, TransientError, NotConnected, PublishError)):
                return ErrorClass.TRANSIENT, each
        return ErrorClass.UNKNOWN, error


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """All that a retry strategy decides by."""

    message: Message
    error: BaseException
    error_class: ErrorClass
    #: How often handlers have failed on it, this time included.
    attempts: int
    #: When, in seconds since the epoch; the first time may be now.
    at: float
    first_at: float
    consumer: str
    queue: str
    #: From 0 to 1: the chance that jitter takes, so that deciding is pure.
    chance: float = 0.5

    @property
    def is_persistent(self) -> bool:
        """Whether trying again will not help."""
        return self.error_class is ErrorClass.PERSISTENT

    @property
    def wanted_wait(self) -> float:
        """Seconds that the error itself asks to be left alone for, e.g. HTTP's Retry-After."""
        waits = (getattr(error, "retry_after", None) for error in _causes(self.error))
        return next((float(wait) for wait in waits if isinstance(wait, int | float)), 0.0)


def _causes(error: BaseException) -> Iterator[BaseException]:
    each: BaseException | None = error
    for _ in range(DEEPEST):
        if each is None:
            return
        yield each
        each = each.__cause__ or (None if each.__suppress_context__ else each.__context__)
