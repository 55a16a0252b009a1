"""A witness of one anchor: another domain that is to sign the anchor's credential. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

__all__ = ["BATCH", "ROLES", "SYSTEM", "Witness"]

#: It is the origin of a DID in the batch.
BATCH: Final = "batch"
#: It was invited by this domain to witness all its anchors.
SYSTEM: Final = "system"
ROLES: Final = (BATCH, SYSTEM)


@dataclass(frozen=True, slots=True, kw_only=True)
class Witness:
    """A domain in a role; one that has both roles is two of these."""

    #: Of its service.
    iri: str
    role: str
    #: Whether it keeps a ledger of what it has witnessed.
    has_log: bool = False
    #: Whether the anchor was offered to it.
    is_selected: bool = False
    has_proof: bool = False
    #: Whether it has answered a moment ago, as far as anybody has asked; others are asked before it, if not.
    answers: bool = True
