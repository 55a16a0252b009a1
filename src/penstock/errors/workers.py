"""Errors of jobs, and of those who put them or wait for them."""

from __future__ import annotations

from penstock.errors.messaging import InvalidMessage, MessagingError, PersistentError, TransientError

__all__ = [
    "BadSchedule",
    "JobFailed",
    "NoSchedules",
    "ProcessDied",
    "TakenBefore",
    "TakenTooOften",
    "UnknownRoute",
]


class UnknownRoute(InvalidMessage):
    """No handler of this worker is for that route."""


class TakenBefore(MessagingError):
    """A worker took the job and went without a word; it is tried again, and that counts as a try."""


class ProcessDied(TransientError):
    """The process that did the job died with it; another process tries again, a few times."""


class TakenTooOften(PersistentError):
    """Workers took the job again and again, and none of them finished it."""


class JobFailed(MessagingError):
    """The job that was waited for is a dead letter; what its handler said is in the text."""


class BadSchedule(MessagingError):
    """A schedule cannot be read, or never comes to pass."""


class NoSchedules(MessagingError):
    """Keys and crons need a database for schedules, and none was named."""
