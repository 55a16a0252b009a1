"""What became of an anchor, or of a DID, that an executor was to observe: told to the driver. Pure.

An error is a value here, as an operation's is in Sidetree: what is wrong with one anchor concerns no other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

from penstock.errors import DidError, PenstockError, SidetreeError, StoreError
from penstock.messaging.subscriptions import ErrorClasses

if TYPE_CHECKING:
    from collections.abc import Sequence

    from penstock.did.anchoring import AnchorInfo
    from penstock.did.observing.observation import LeftOut

__all__ = ["CLASSES", "Outcome", "Seen", "as_error"]

#: What the observer's errors say about trying again, where they do not say so themselves.
CLASSES: Final = ErrorClasses(persistent=(SidetreeError,), transient=(StoreError,))


class Seen(Struct, frozen=True, kw_only=True, gc=False):
    """An anchor whose operations are stored."""

    info: AnchorInfo
    author: str
    #: The hashlink under which others find the linkset here.
    copy: str
    #: Whether it was observed before; then nothing is told of its operations.
    is_known: bool = False
    operations: int = 0
    left_out: Sequence[LeftOut] = ()
    #: Hashlinks of anchors before it that nobody has told of here.
    unknown: Sequence[str] = ()


class Outcome(Struct, frozen=True, kw_only=True, gc=False):
    """How it went: all anchors that were seen, and why that is not all, if it is not."""

    seen: Sequence[Seen] = ()
    error: PenstockError | None = None
    #: The resource hash of the anchor that the error is about; empty if it is about none.
    failed: str = ""


def as_error(error: Exception) -> PenstockError:
    """The error as one that every process can read, and that says nothing it does not know."""
    if isinstance(error, PenstockError):
        return error
    return DidError(f"the observer itself has failed: {type(error).__name__}: {error}")
