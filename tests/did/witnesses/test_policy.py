from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.did.witnesses.policy import Policy, Requirement
from penstock.did.witnesses.witness import BATCH, SYSTEM, Witness
from tests.did.witnesses.strategies import POLICIES, WITNESSES


def of(role: str, proofs: int, total: int, *, logs: int = 0) -> list[Witness]:
    """Witnesses of a role; the first have proved, and the first have logs."""
    return [
        Witness(iri=f"https://{role}{number}", role=role, has_log=number < logs, has_proof=number < proofs)
        for number in range(total)
    ]


@pytest.mark.parametrize(
    ("number", "percent", "collected", "total", "expected"),
    [
        (0, 100, 0, 0, True),  # of none, all have proved
        (0, 100, 2, 3, False),
        (0, 100, 3, 3, True),
        (0, 50, 1, 3, False),
        (0, 50, 2, 3, True),
        (0, 33, 1, 3, True),
        (0, 34, 1, 3, False),
        (0, 0, 0, 3, True),
        (2, 100, 1, 5, False),
        (2, 100, 2, 5, True),
        (5, 100, 3, 3, True),  # fewer than asked for, but all there are
        (5, 60, 3, 5, True),  # either is enough
    ],
)
def test_a_number_or_a_share_is_enough(
    number: int,
    percent: int,
    collected: int,
    total: int,
    expected: bool,  # noqa: FBT001  a column of the table
) -> None:
    assert Requirement(number=number, percent=percent).is_met(collected, total) is expected


@given(st.integers(0, 100), st.integers(0, 300))
def test_what_is_needed_of_a_share_is_just_enough(percent: int, total: int) -> None:
    requirement = Requirement(percent=percent)
    needed = requirement.needed(total)
    assert requirement.is_met(needed, total)
    assert needed == 0 or not requirement.is_met(needed - 1, total)
    assert needed >= Fraction(percent, 100) * total > needed - 1


def test_a_number_is_needed_however_many_there_are() -> None:
    assert Requirement(number=2, percent=10).needed(5) == 2


def test_without_a_word_said_all_of_both_roles_are_needed() -> None:
    policy = Policy()
    assert policy.is_met([])
    assert policy.is_met([*of(BATCH, 2, 2), *of(SYSTEM, 1, 1)])
    assert not policy.is_met([*of(BATCH, 1, 2), *of(SYSTEM, 1, 1)])
    assert not policy.is_met([*of(BATCH, 2, 2), *of(SYSTEM, 0, 1)])


def test_if_either_is_enough_one_role_will_do() -> None:
    policy = Policy(either=True)
    assert policy.is_met([*of(BATCH, 0, 2), *of(SYSTEM, 1, 1)])
    assert policy.is_met([*of(BATCH, 2, 2), *of(SYSTEM, 0, 1)])
    assert not policy.is_met([*of(BATCH, 1, 2), *of(SYSTEM, 0, 1)])


def test_proofs_of_witnesses_without_a_ledger_may_count_for_nothing() -> None:
    policy = Policy(system=Requirement(number=2), log_required=True)
    assert not policy.is_met(of(SYSTEM, 3, 4, logs=1))
    assert policy.is_met(of(SYSTEM, 3, 4, logs=2))
    # They are still counted among those of whom a share is asked.
    share = replace(policy, system=Requirement(percent=50))
    assert not share.is_met(of(SYSTEM, 4, 4, logs=1))


def reference(policy: Policy, witnesses: list[Witness]) -> bool:
    """The rule as it is told, word by word."""
    found = {}
    for role, requirement in ((BATCH, policy.batch), (SYSTEM, policy.system)):
        total = [witness for witness in witnesses if witness.role == role]
        collected = [w for w in total if w.has_proof and (w.has_log or not policy.log_required)]
        share = Fraction(len(collected), len(total)) if total else Fraction(1)
        enough = requirement.number != 0 and len(collected) >= requirement.number
        found[role] = enough or share >= Fraction(requirement.percent, 100)
    return (found[BATCH] or found[SYSTEM]) if policy.either else (found[BATCH] and found[SYSTEM])


@given(POLICIES, WITNESSES)
def test_a_policy_is_met_exactly_when_the_rule_says_so(policy: Policy, witnesses: list[Witness]) -> None:
    assert policy.is_met(witnesses) is reference(policy, witnesses)


@given(POLICIES, WITNESSES, st.integers(0))
def test_a_further_proof_never_makes_it_worse(policy: Policy, witnesses: list[Witness], which: int) -> None:
    if not witnesses:
        return
    at = which % len(witnesses)
    more = [*witnesses[:at], replace(witnesses[at], has_proof=True), *witnesses[at + 1 :]]
    assert policy.is_met(more) or not policy.is_met(witnesses)
