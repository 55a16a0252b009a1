"""Selecting the witnesses that an anchor is offered to: as few as the policy asks for, by chance.

If both roles are needed, those who have both come first: their proof counts twice. If one is enough the
role that needs fewer is taken, and of two that need as many the batch's. Who is away is asked only if there
are too few others: then the anchor waits. Witnesses that do not answer are left out the next time, and those
that have proved need not be asked again.

Pure: chance is an argument.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from penstock.did.witnesses.witness import BATCH, SYSTEM
from penstock.errors import WitnessesNotFound

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from random import Random

    from penstock.did.witnesses.policy import Policy
    from penstock.did.witnesses.witness import Witness

__all__ = ["select", "select_further"]


def select(
    policy: Policy, witnesses: Sequence[Witness], *, chance: Random, excluded: Collection[str] = ()
) -> list[str]:
    """Whom to offer the anchor to; empty if no proof is needed, or no further one.

    Args:
        policy: How many are needed.
        witnesses: All of the anchor, in all their roles.
        chance: Which of them.
        excluded: IRIs of those that are not to be asked.

    Raises:
        WitnessesNotFound: there are too few.
    """
    batch, system = (_Demand.of(role, policy, witnesses, excluded) for role in (BATCH, SYSTEM))
    if not policy.either:
        return _for_both(batch, system, chance)
    enough = [demand for demand in (batch, system) if demand.lacking <= 0]
    if not enough:
        raise WitnessesNotFound(f"neither role has enough witnesses: {batch.told()}; {system.told()}")
    # A role that needs nobody says nothing about the other.
    chosen = min((demand for demand in enough if demand.needed), key=_burden, default=None)
    return chosen.some_of(chosen.eligible, chosen.needed, chance) if chosen is not None else []


def select_further(policy: Policy, witnesses: Sequence[Witness], *, chance: Random) -> list[str]:
    """Whom to ask in place of those that were asked and have not proved.

    Raises:
        WitnessesNotFound: nobody is left.
    """
    silent = {witness.iri for witness in witnesses if witness.is_selected and not witness.has_proof}
    return select(policy, witnesses, chance=chance, excluded=silent)


@dataclass(frozen=True, slots=True)
class _Demand:
    """What is still needed of a role, and who may give it."""

    role: str
    needed: int
    eligible: list[str]
    #: Those of them that do not answer now.
    away: frozenset[str]

    @classmethod
    def of(
        cls, role: str, policy: Policy, witnesses: Sequence[Witness], excluded: Collection[str]
    ) -> _Demand:
        of_role = [witness for witness in witnesses if witness.role == role]
        counting = [witness for witness in of_role if policy.counts(witness)]
        proved = sum(witness.has_proof for witness in counting)
        # A batch may have no origin but this domain itself, however many are asked for.
        asks = bool(of_role) or role == SYSTEM
        needed = policy.of(role).needed(len(of_role)) - proved if asks else 0
        eligible = [each for each in counting if not each.has_proof and each.iri not in excluded]
        away = frozenset(each.iri for each in eligible if not each.answers)
        return cls(role, max(needed, 0), list(dict.fromkeys(each.iri for each in eligible)), away)

    @property
    def lacking(self) -> int:
        return self.needed - len(self.eligible)

    @property
    def awaited(self) -> int:
        """How many are needed of those that are away."""
        return max(self.needed - len(self.eligible) + len(self.away), 0)

    def some_of(self, iris: Sequence[str], count: int, chance: Random) -> list[str]:
        """So many of these by chance, and none that is away as long as there are others."""
        here = [iri for iri in iris if iri not in self.away]
        away = [iri for iri in iris if iri in self.away]
        first = chance.sample(here, min(count, len(here)))
        return first + chance.sample(away, count - len(first))

    def told(self) -> str:
        return f"{self.needed} of {self.role} are needed, and {len(self.eligible)} could be asked"


def _burden(demand: _Demand) -> tuple[int, int]:
    return demand.awaited, demand.needed


def _for_both(batch: _Demand, system: _Demand, chance: Random) -> list[str]:
    for demand in (batch, system):
        if demand.lacking > 0:
            raise WitnessesNotFound(f"too few witnesses: {demand.told()}")
    common = [iri for iri in batch.eligible if iri in set(system.eligible)]
    counted_twice = min(len(common), max(batch.needed, system.needed))
    chosen = chance.sample(common, counted_twice)
    for demand in (batch, system):
        others = [iri for iri in demand.eligible if iri not in set(common)]
        chosen += demand.some_of(others, max(demand.needed - counted_twice, 0), chance)
    return chosen
