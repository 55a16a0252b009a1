from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.sidetree.batches.judging import Candidate
from penstock.sidetree.batches.planning import Plan, planned
from penstock.sidetree.files import Part
from penstock.sidetree.protocol import ORB, Protocols

SMALL = replace(ORB, max_operation_count=3, max_chunk_file_size=100, max_proof_file_size=50)
LATER = replace(SMALL, genesis_time=9)
PROTOCOLS = Protocols([SMALL, LATER])


def candidate(
    sequence: int, suffix: str = "", version: int = 0, weights: tuple[int, ...] = (1, 1, 1, 1, 1)
) -> Candidate:
    return Candidate(sequence, "update", suffix or f"did{sequence}", version, Part("update", b""), weights)


def shown(plans: list[Plan]) -> list[tuple[int, list[int]]]:
    return [(plan.round, [found.sequence for found in plan.candidates]) for plan in plans]


@pytest.mark.parametrize(
    ("candidates", "expected"),
    [
        ([], []),
        ([candidate(1)], [(0, [1])]),
        # Count
        ([candidate(n) for n in range(7)], [(0, [0, 1, 2]), (0, [3, 4, 5]), (0, [6])]),
        # Size: of the chunk, of a proof file; the limit itself may be reached
        ([candidate(n, weights=(0, 0, 0, 0, 50)) for n in range(3)], [(0, [0, 1]), (0, [2])]),
        ([candidate(n, weights=(0, 26, 0, 0, 1)) for n in range(2)], [(0, [0]), (0, [1])]),
        ([candidate(n, weights=(0, 0, 0, 200, 0)) for n in range(2)], [(0, [0]), (0, [1])]),
        # The version of the protocol
        ([candidate(1), candidate(2, version=9), candidate(3)], [(0, [1]), (0, [2]), (0, [3])]),
        # One operation of a DID in a round
        (
            [candidate(1, "a"), candidate(2, "b"), candidate(3, "a"), candidate(4, "a"), candidate(5, "b")],
            [(0, [1, 2]), (1, [3, 5]), (2, [4])],
        ),
    ],
)
def test_a_batch_ends_where_a_limit_would_be_passed(
    candidates: list[Candidate], expected: list[tuple[int, list[int]]]
) -> None:
    assert shown(planned(candidates, PROTOCOLS)) == expected
    assert shown(planned(reversed(candidates), PROTOCOLS)) == expected


many = st.lists(
    st.builds(
        lambda suffix, version, weight: (suffix, version, weight),
        st.sampled_from("abcde"),
        st.sampled_from([0, 9]),
        st.integers(0, 60),
    ),
    max_size=20,
).map(
    lambda found: [
        candidate(place, suffix, version, (weight, weight // 2, weight, 0, weight))
        for place, (suffix, version, weight) in enumerate(found)
    ]
)


@given(many)
def test_every_candidate_is_in_one_batch_and_every_batch_within_limits(
    candidates: list[Candidate],
) -> None:
    plans = planned(candidates, PROTOCOLS)
    everyone = [found for plan in plans for found in plan.candidates]
    assert sorted(found.sequence for found in everyone) == [found.sequence for found in candidates]
    for plan in plans:
        assert len({found.suffix for found in plan.candidates}) == len(plan.candidates) <= 3
        assert {found.protocol_version for found in plan.candidates} == {plan.protocol_version}
        assert len(plan.candidates) == 1 or sum(found.weights[4] for found in plan.candidates) <= 100
        assert [found.sequence for found in plan.candidates] == sorted(
            found.sequence for found in plan.candidates
        )


@given(many)
def test_operations_of_a_did_stay_in_order(candidates: list[Candidate]) -> None:
    for suffix in "abcde":
        placed = [
            found.sequence
            for plan in planned(candidates, PROTOCOLS)
            for found in plan.candidates
            if found.suffix == suffix
        ]
        assert placed == sorted(placed)
