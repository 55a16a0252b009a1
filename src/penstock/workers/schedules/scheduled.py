"""A job that waits for its time under a key, and one that a scheduler has claimed. Values."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Claimed", "Scheduled"]


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Claimed:
    """A row that is this scheduler's until its claim lapses."""

    key: str
    due_at: float
    #: Goes up with every change, so that nobody settles what is another's by now.
    version: int
    #: What is to be put; None if the row is of a cron, whose job the code knows.
    scheduled: Scheduled | None
