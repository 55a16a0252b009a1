"""What a domain says of a DID, as far as its holder must know. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Seen"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """A DID as a domain sees it now."""

    update_commitment: str | None = None
    recovery_commitment: str | None = None
    is_deactivated: bool = False
    #: Whether the last operation that counts is anchored; a domain may count those that are not, too.
    is_anchored: bool = False
    #: Its canonical form; empty before the first anchor.
    did: str = ""

    @classmethod
    def of(cls, result: Mapping[str, Any]) -> Seen:
        """What a resolution result says."""
        told = result.get("didDocumentMetadata", {})
        method = told.get("method", {})
        return cls(
            update_commitment=method.get("updateCommitment"),
            recovery_commitment=method.get("recoveryCommitment"),
            is_deactivated=bool(told.get("deactivated")),
            is_anchored=bool(told.get("versionId")),
            did=told.get("canonicalId", ""),
        )

    @property
    def promises(self) -> tuple[str | None, str | None]:
        """To whom the next update and the next recovery are promised."""
        return self.update_commitment, self.recovery_commitment
