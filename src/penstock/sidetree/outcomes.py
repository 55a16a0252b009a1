"""What became of an operation that was to go into a batch: one outcome each, and never an exception.

An operation that cannot be taken costs itself and no other; that one bad operation fails a batch of
10,000 is a defect that Orb had to live with (trustbloc/orb#1583).
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from msgspec import Struct

from penstock.errors import OperationExpired, SidetreeError
from penstock.sidetree.ingestion import admitted

if TYPE_CHECKING:
    from collections.abc import Collection

    from penstock.sidetree.operations import Operation
    from penstock.sidetree.protocol import Protocol

__all__ = ["Outcome", "Status", "judged"]


class Status(StrEnum):
    """The three ends."""

    OK = "ok"
    #: Nobody did anything wrong; its author may sign another.
    EXPIRED = "expired"
    INVALID = "invalid"


class Outcome(Struct, frozen=True, gc=False):
    """How a request fared, and the operation if it can be used."""

    status: Status
    operation: Operation | None = None
    #: In canonical form; a deactivate has none.
    delta: bytes = b""
    #: One sentence; empty if all is well.
    reason: str = ""
    #: The error's name, for those who count.
    kind: str = ""


def judged(
    request: bytes, protocol: Protocol, now: int, *, origins: Collection[str] | None = None
) -> Outcome:
    """What `ingest` says, as a value."""
    try:
        return Outcome(Status.OK, *admitted(request, protocol, now, origins))
    except OperationExpired as exc:
        return Outcome(Status.EXPIRED, reason=str(exc), kind=type(exc).__name__)
    except SidetreeError as exc:
        return Outcome(Status.INVALID, reason=str(exc), kind=type(exc).__name__)
