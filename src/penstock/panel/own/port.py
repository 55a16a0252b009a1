"""The port of our own resources: what the panel shows of its neighbours, and how it asks for it.

The broker knows queues. Schedules, pipelines, batches and workers are others' business, which this layer does
not import: whoever puts the program together gives the panel a source for each that there is. What a source
gives is what the API answers with; times are seconds since the epoch. What is a DID domain's: did_port.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import msgspec

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "Job",
    "Pipeline",
    "Pipelines",
    "Relay",
    "Schedule",
    "Schedules",
    "Worker",
    "Workers",
]


class Schedule(msgspec.Struct, frozen=True, kw_only=True):
    """A job that waits for its time under a key, or a cron."""

    #: "job" or "cron".
    kind: str
    key: str
    due_at: float
    queue: str | None = None
    #: When it comes, in a cron's words.
    cron: str | None = None
    #: Whether a scheduler is putting it this moment.
    is_leaving: bool = False


class Schedules(Protocol):
    """Schedules, wherever they are kept."""

    async def listed(self, limit: int) -> Sequence[Schedule]:
        """Those that come next, the first first."""
        ...

    async def run(self, key: str) -> bool:
        """Have a job be due now; whether there is one of that key that has not left."""
        ...

    async def cancel(self, key: str) -> bool:
        """Forget a job; whether there was one of that key that had not left."""
        ...


class Pipeline(msgspec.Struct, frozen=True, kw_only=True):
    """How a Spark pipeline is doing."""

    name: str
    state: str
    #: The last batch that was done, and its rows a second.
    batch: int | None = None
    rate: float = 0.0
    rows: int = 0
    #: Rows that wait at the source; None if it does not tell.
    lag: int | None = None
    failures: int = 0
    set_aside: int = 0
    last_error: str | None = None
    #: Where Spark shows what it does.
    ui: str | None = None
    updated_at: float | None = None


class Pipelines(Protocol):
    """Pipelines, in whichever processes they run."""

    async def listed(self) -> Sequence[Pipeline]:
        """All that have ever run."""
        ...


class Job(msgspec.Struct, frozen=True, kw_only=True):
    """A job that is being done."""

    id: str
    route: str
    queue: str
    attempt: int
    started_at: float
    #: What its handler reported last, if it is a part of 1; anything else is told as a note.
    progress: float | None = None
    note: Any = None


class Worker(msgspec.Struct, frozen=True, kw_only=True):
    """A worker, as it told last."""

    name: str
    host: str
    pid: int
    started_at: float
    seen_at: float
    queues: list[str]
    done: int
    failed: int
    jobs: list[Job]


class Relay(msgspec.Struct, frozen=True, kw_only=True):
    """A relay of an outbox, as it told last."""

    name: str
    outbox: str
    host: str
    pid: int
    started_at: float
    seen_at: float
    #: Messages since it started, and times that something could not be published.
    relayed: int
    failures: int
    #: Why, the last time; None if that went well.
    trouble: str | None = None


class Workers(Protocol):
    """Workers and relays, wherever they run."""

    async def listed(self) -> Sequence[Worker]:
        """Workers that are alive, by what they told last."""
        ...

    async def relays(self) -> Sequence[Relay]:
        """Relays that are alive, likewise."""
        ...
