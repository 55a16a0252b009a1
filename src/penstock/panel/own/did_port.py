"""The port of a DID domain's resources: batches, anchors, and the DIDs that come of them. See port.py."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import msgspec

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "Anchor",
    "Batch",
    "BatchOperation",
    "Batches",
    "Did",
    "DidStep",
    "OneBatch",
    "WaitingOperations",
]


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


class Anchor(msgspec.Struct, frozen=True, kw_only=True):
    """An anchor: this domain's own on its way, or any domain's that it was told of."""

    #: witnessing and witnessed, of its own; pending, told (the observer was), observed.
    state: str
    #: Since when; of one that is not published yet, when witnesses were last asked.
    updated_at: float
    #: The hash of its linkset, once that is final, and where it can be had.
    linkset: str | None = None
    url: str | None = None
    #: The batch that it is of, and its name there, if it is the domain's own and still known.
    batch: int | None = None
    anchor: str | None = None
    #: How many of its operations are stored, and how many of them can never count.
    stored: int = 0
    unfit: int = 0
    #: Why it could not be observed, or the first of these cannot count.
    reason: str = ""
    #: Domains that have told that they have a copy of it.
    copies: int = 0


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

    async def anchors(self, limit: int) -> Sequence[Anchor]:
        """What it anchors, and what it has observed: the newest, first."""
        ...
