"""The port of our own resources: what the panel shows of its neighbours, and how it asks for it.

The broker knows queues. Schedules, pipelines, batches and workers are others' business, which this layer does
not import: whoever puts the program together gives the panel a source for each that there is. What a source
gives is what the API answers with; times are seconds since the epoch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import msgspec

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "Batch",
    "BatchOperation",
    "Batches",
    "Did",
    "DidStep",
    "Job",
    "OneBatch",
    "Pipeline",
    "Pipelines",
    "Schedule",
    "Schedules",
    "WaitingOperations",
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


class Batch(msgspec.Struct, frozen=True, kw_only=True):
    """A batch of DID operations, from being cut to being observed, when this domain resolves by it.

    What has not happened yet has no time.
    """

    id: int
    #: cut, files, witnessing, witnessed, published, observed; empty if there was nothing to anchor.
    state: str
    #: How many it was cut with; how many of them wait for a later batch, and how many can be in none.
    operations: int
    deferred: int = 0
    refused: int = 0
    #: When the first of them was taken.
    queued_at: float | None = None
    cut_at: float
    #: When its files were written, and when it was anchored.
    written_at: float | None = None
    anchored_at: float | None = None
    #: How many witnesses were asked, and how many have given their proof; when that was enough.
    witnesses: int = 0
    proofs: int = 0
    proved_at: float | None = None
    published_at: float | None = None
    #: When its operations were stored, how many, and how many of them can never count.
    observed_at: float | None = None
    stored: int = 0
    unfit: int = 0
    #: Why it could not be observed, the last time; None once it was.
    trouble: str | None = None
    #: The anchor's name; the hash of its linkset, and where the domain has that.
    anchor: str | None = None
    linkset: str | None = None
    url: str | None = None


class BatchOperation(msgspec.Struct, frozen=True, kw_only=True):
    """What became of an operation of a batch."""

    id: str
    type: str | None = None
    #: Of the DID that it changes.
    suffix: str | None = None
    #: queued, deferred, refused, unfit, resolvable, idle, unresolved.
    outcome: str
    reason: str = ""
    #: The DID in its canonical form, once it resolves.
    did: str | None = None


class OneBatch(msgspec.Struct, frozen=True, kw_only=True):
    """A batch, and some of its operations; what went wrong comes first."""

    batch: Batch
    operations: list[BatchOperation]


class WaitingOperations(msgspec.Struct, frozen=True, kw_only=True):
    """Operations that are in no batch yet."""

    waiting: int
    oldest_at: float | None = None
    #: Those that nobody has, and that are about to be posted anew; and why, as the last of them knows.
    detached: int = 0
    last_error: str | None = None


class DidStep(msgspec.Struct, frozen=True, kw_only=True):
    """One operation of a DID."""

    type: str
    #: When it was anchored, and the hash of that linkset.
    at: int
    reference: str
    #: The batch that it came in, if it was one of this domain's and is still known.
    batch: int | None = None
    #: Why it changed nothing; empty if it counts.
    reason: str = ""


class Did(msgspec.Struct, frozen=True, kw_only=True):
    """A DID: what it resolves to, and what has made it so."""

    suffix: str
    #: In its canonical form; None if it does not resolve.
    did: str | None = None
    #: Why it does not.
    reason: str = ""
    is_deactivated: bool = False
    #: The document, and what is to be said about it.
    result: dict[str, Any] | None = None
    steps: list[DidStep]


class Batches(Protocol):
    """The batches of a DID domain, what waits for one, and what has come of them."""

    async def listed(self, limit: int) -> Sequence[Batch]:
        """The newest, first."""
        ...

    async def find(self, number: int, *, start: int, limit: int) -> OneBatch | None:
        """One, with its operations from `start` on."""
        ...

    async def waiting(self) -> WaitingOperations:
        """What is in no batch yet."""
        ...

    async def did(self, suffix: str) -> Did | None:
        """A DID, by its suffix; None if nothing is known of it."""
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


class Workers(Protocol):
    """Workers, wherever they run."""

    async def listed(self) -> Sequence[Worker]:
        """Those that are alive, by what they told last."""
        ...
