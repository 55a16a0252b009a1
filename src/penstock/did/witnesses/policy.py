"""A witness policy: how many proofs, and of whom, an anchor needs before it is published. Pure.

For each role a number or a share of its witnesses is enough; whether one of the roles is enough or both
are needed says the operator. A role without witnesses asks for nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from penstock.did.witnesses.witness import BATCH, SYSTEM

if TYPE_CHECKING:
    from collections.abc import Iterable

    from penstock.did.witnesses.witness import Witness

__all__ = ["ALL", "Policy", "Requirement"]

ALL: Final = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Requirement:
    """What one role must give."""

    #: So many proofs are enough; 0 if only the share counts.
    number: int = 0
    #: So many proofs of a hundred witnesses are enough.
    percent: int = ALL

    def is_met(self, collected: int, total: int) -> bool:
        """Whether so many proofs of so many witnesses are enough."""
        if 0 < self.number <= collected:
            return True
        # Of no witnesses, all have proved.
        return collected * ALL >= self.percent * total

    def needed(self, total: int) -> int:
        """The proofs to ask for, of so many witnesses."""
        return self.number or -(-self.percent * total // ALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """The whole policy; without a word said it asks for all witnesses of both roles."""

    batch: Requirement = field(default_factory=Requirement)
    system: Requirement = field(default_factory=Requirement)
    #: Whether one role is enough.
    either: bool = False
    #: Whether proofs of witnesses without a ledger count for nothing.
    log_required: bool = False

    def of(self, role: str) -> Requirement:
        """What a role must give."""
        return {BATCH: self.batch, SYSTEM: self.system}[role]

    def asking(self, role: str, requirement: Requirement) -> Policy:
        """The same policy, but for what that role must give."""
        return replace(self, batch=requirement) if role == BATCH else replace(self, system=requirement)

    def counts(self, witness: Witness) -> bool:
        """Whether its proof would count."""
        return witness.has_log or not self.log_required

    def is_met(self, witnesses: Iterable[Witness]) -> bool:
        """Whether the proofs are enough; all witnesses of the anchor are to be told, in all their roles."""
        told = list(witnesses)
        found = [self._is_met_by(role, told) for role in (BATCH, SYSTEM)]
        return any(found) if self.either else all(found)

    def _is_met_by(self, role: str, witnesses: Iterable[Witness]) -> bool:
        of_role = [witness for witness in witnesses if witness.role == role]
        collected = sum(witness.has_proof and self.counts(witness) for witness in of_role)
        return self.of(role).is_met(collected, len(of_role))
