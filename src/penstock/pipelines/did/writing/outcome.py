"""What an executor has made of a cut. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from penstock.errors import ClientError, StoreError, TransientError

if TYPE_CHECKING:
    from penstock.did.anchors import Draft

__all__ = ["LONGEST", "PASSING", "Outcome", "failed"]

#: Letters of a reason: an error may quote what it was given.
LONGEST: Final = 500
#: Nobody's fault, and over some time.
PASSING: Final = (StoreError, TransientError, ClientError)


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """The files of a cut, or why there are none."""

    cut: int
    #: The hashlink of the core index file; None if no operation could be in a batch now.
    core_index: str | None = None
    #: Its anchor, but for who signs it: some fifty bytes an operation. Whoever has none makes it.
    draft: Draft | None = None
    #: How many operations the files have.
    count: int = 0
    #: The ids of operations whose turn comes with a later batch.
    deferred: list[str] = []
    #: The ids of those that can be in no batch, and why.
    refused: dict[str, str] = {}
    #: The DIDs that are changed before they are anchored; their operations are among the deferred.
    unanchored: list[str] = []
    #: Why it could not be done now, and must be done again.
    failure: str | None = None
    #: Whether that is nobody's fault but the machines', and over some time; else it may never be.
    is_passing: bool = True
    #: It went on without us: there is nothing to be done.
    is_gone: bool = False


def failed(cut: int, error: Exception) -> Outcome:
    """The outcome of a cut that met an error."""
    told = f"{type(error).__name__}: {error}"[:LONGEST]
    return Outcome(cut=cut, failure=told, is_passing=isinstance(error, PASSING))
