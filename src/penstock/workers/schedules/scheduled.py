"""A job that waits for its time under a key, and one that a scheduler has claimed. Values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from penstock.messaging.tracing import Trace

__all__ = ["Claimed", "Scheduled", "Waiting"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scheduled:
    """A job, its key, and when it is due, in seconds since the epoch."""

    key: str
    #: The job's id.
    job: str
    due_at: float
    queue: str
    body: bytes
    priority: int
    #: What it came of; None leaves it to what is being worked on when it is kept.
    trace: Trace | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Claimed:
    """A row that is this scheduler's until its claim lapses."""

    key: str
    due_at: float
    #: Goes up with every change, so that nobody settles what is another's by now.
    version: int
    #: What is to be put; None if the row is of a cron, whose job the code knows.
    scheduled: Scheduled | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """A row as people look at it: a job with a key, or a cron."""

    kind: str
    key: str
    due_at: float
    #: Whether a scheduler is at it.
    is_leaving: bool
    #: Of a job: where it goes, what it says, and its id.
    queue: str | None = None
    body: bytes | None = None
    job: str | None = None
    #: Of a cron: when it comes.
    cron: str | None = None
