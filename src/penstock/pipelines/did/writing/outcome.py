"""What an executor has made of a cut. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from penstock.did.anchors import Draft

__all__ = ["Outcome"]


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
    #: Why it could not be done now, and must be done again: nobody's fault but the machines'.
    failure: str | None = None
    #: It went on without us: there is nothing to be done.
    is_gone: bool = False
