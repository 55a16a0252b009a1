from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.did.witnesses.grammar import parse_policy
from penstock.did.witnesses.selection import select, select_further
from penstock.did.witnesses.witness import BATCH, SYSTEM, Witness
from penstock.errors import WitnessesNotFound
from tests.did.witnesses.strategies import POLICIES, WITNESSES

if TYPE_CHECKING:
    from penstock.did.witnesses.policy import Policy

A, B, C, D = (f"https://{name}.example" for name in "abcd")


def batch(*iris: str, **more: bool) -> list[Witness]:
    return [Witness(iri=iri, role=BATCH, **more) for iri in iris]


def system(*iris: str, **more: bool) -> list[Witness]:
    return [Witness(iri=iri, role=SYSTEM, **more) for iri in iris]


def chosen(policy: str, witnesses: list[Witness], seed: int = 1, **more: list[str]) -> list[str]:
    return select(parse_policy(policy), witnesses, chance=Random(seed), **more)


def test_without_a_word_said_all_are_asked() -> None:
    assert set(chosen("", [*batch(A, B), *system(C, D)])) == {A, B, C, D}


def test_no_more_are_asked_than_are_needed_and_chance_says_which() -> None:
    witnesses = system(A, B, C, D)
    found = [chosen("OutOf(2,system)", witnesses, seed) for seed in range(30)]
    assert all(len(set(each)) == 2 for each in found)
    assert set().union(*found) == {A, B, C, D}
    assert chosen("OutOf(2,system)", witnesses, 7) == chosen("OutOf(2,system)", witnesses, 7)
    assert len(chosen("MinPercent(30,system)", witnesses)) == 2


def test_those_who_have_both_roles_come_first() -> None:
    witnesses = [*batch(A, B), *system(B, C, D)]
    assert all(chosen("OutOf(1,batch) OutOf(1,system)", witnesses, seed) == [B] for seed in range(20))
    assert all(B in chosen("OutOf(1,batch) OutOf(2,system)", witnesses, seed) for seed in range(20))
    # If one role is enough nobody counts twice.
    either = {tuple(chosen("OutOf(1,batch) OR OutOf(1,system)", witnesses, seed)) for seed in range(20)}
    assert either == {(A,), (B,)}


def test_if_one_role_is_enough_the_smaller_is_asked_and_the_batch_of_equals() -> None:
    assert set(chosen("OR", [*batch(A, B), *system(C)])) == {C}
    assert set(chosen("OR", [*batch(A), *system(C, D)])) == {A}
    assert set(chosen("OR", [*batch(A), *system(C)])) == {A}
    assert set(chosen("OR", batch(A))) == {A}
    assert set(chosen("OR", system(C))) == {C}
    assert chosen("OR", []) == []


def test_if_one_role_is_enough_the_other_may_lack_witnesses() -> None:
    assert chosen("OutOf(2,batch) OR OutOf(1,system)", [*batch(A), *system(C)]) == [C]
    with pytest.raises(WitnessesNotFound, match="2 of batch are needed, and 1 could be asked; 3 of system"):
        chosen("OutOf(2,batch) OR OutOf(3,system)", [*batch(A), *system(C)])


@pytest.mark.parametrize(
    ("policy", "witnesses"),
    [
        ("OutOf(2,system)", system(A)),
        ("OutOf(1,system)", []),
        ("OutOf(3,batch)", batch(A, B)),
        ("LogRequired", batch(A)),
        ("LogRequired MinPercent(60,system)", [*system(A, has_log=True), *system(B)]),
    ],
)
def test_too_few_witnesses_are_told(policy: str, witnesses: list[Witness]) -> None:
    with pytest.raises(WitnessesNotFound, match=r"are needed, and \d could be asked"):
        chosen(policy, witnesses)


def test_a_batch_of_this_domain_alone_asks_for_no_other() -> None:
    assert chosen("OutOf(1,batch) OutOf(1,system)", system(A)) == [A]


def test_only_witnesses_with_a_ledger_are_asked_if_only_they_count() -> None:
    witnesses = [*system(A, B), *system(C, has_log=True)]
    assert chosen("OutOf(1,system) LogRequired", witnesses) == [C]


def test_who_is_away_is_asked_only_if_there_are_too_few_others() -> None:
    witnesses = [*system(A, B, answers=False), *system(C, D)]
    for seed in range(10):
        assert set(chosen("OutOf(2,system)", witnesses, seed)) == {C, D}
        assert len(set(chosen("OutOf(3,system)", witnesses, seed)) & {A, B}) == 1
    assert set(chosen("", witnesses)) == {A, B, C, D}
    assert chosen("OutOf(1,system)", system(A, answers=False)) == [A]


def test_if_one_role_is_enough_that_is_asked_which_need_not_wait() -> None:
    witnesses = [*batch(A, B), *system(C, answers=False)]
    assert set(chosen("OR", witnesses)) == {A, B}
    assert set(chosen("OR", [*batch(A, B), *system(C)])) == {C}


def test_the_excluded_are_not_asked_but_still_count_among_all() -> None:
    assert set(chosen("MinPercent(50,system)", system(A, B, C, D), excluded=[A, B])) == {C, D}
    with pytest.raises(WitnessesNotFound):
        chosen("MinPercent(50,system)", system(A, B, C, D), excluded=[A, B, C])


def test_in_place_of_the_silent_others_are_asked_and_the_proven_are_not_asked_again() -> None:
    witnesses = [
        *system(A, is_selected=True, has_proof=True),
        *system(B, is_selected=True),
        *system(C, D),
    ]
    policy = parse_policy("OutOf(2,system)")
    for seed in range(10):
        (further,) = select_further(policy, witnesses, chance=Random(seed))
        assert further in {C, D}
    silent = [*witnesses[:2], *system(C, D, is_selected=True)]
    with pytest.raises(WitnessesNotFound):
        select_further(policy, silent, chance=Random(1))


@given(POLICIES, WITNESSES, st.integers())
def test_if_all_who_are_asked_prove_the_policy_is_met(
    policy: Policy, witnesses: list[Witness], seed: int
) -> None:
    try:
        asked = select(policy, witnesses, chance=Random(seed))
    except WitnessesNotFound:
        return
    assert len(set(asked)) == len(asked)
    told = [replace(witness, has_proof=witness.has_proof or witness.iri in asked) for witness in witnesses]
    assert policy.is_met(told)
    # Nobody is asked who has proved, or whose proof would not count.
    assert not {w.iri for w in witnesses if w.iri in asked} - {
        w.iri for w in witnesses if not w.has_proof and policy.counts(w)
    }


@given(WITNESSES, st.integers(0, 100), st.integers(0, 100), st.integers())
def test_nobody_is_asked_in_vain(witnesses: list[Witness], first: int, second: int, seed: int) -> None:
    policy = parse_policy(f"MinPercent({first},batch) AND MinPercent({second},system)")
    # An origin that is a system witness, too, has proved in both roles or in none.
    proved = {witness.iri for witness in witnesses if witness.has_proof}
    witnesses = [replace(witness, has_proof=witness.iri in proved) for witness in witnesses]
    asked = select(policy, witnesses, chance=Random(seed))
    for left_out in asked:
        told = [
            replace(witness, has_proof=witness.has_proof or witness.iri in set(asked) - {left_out})
            for witness in witnesses
        ]
        assert not policy.is_met(told)
