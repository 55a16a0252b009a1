from __future__ import annotations

import random
from dataclasses import replace

import pytest

from penstock.sidetree.batches import Batch, Queued, assemble, built, judge, planned
from penstock.sidetree.files import read_batch
from penstock.sidetree.outcomes import Status
from penstock.sidetree.protocol import ORB, Protocols
from tests.sidetree.lives import NOW, Life, address, changed, whole_life

PROTOCOLS = Protocols([replace(ORB, max_operation_count=8)])


@pytest.fixture(scope="module")
def queue() -> list[Queued]:
    """Nine lives of four operations each, all together, and some that are of no use."""
    requests = [request for number in range(9) for request in whole_life(f"life{number}")]
    requests += [b"{", changed(requests[1], signedData="x"), expired()]
    random.Random(7).shuffle(requests)
    return [Queued(place, request) for place, request in enumerate(requests)]


def expired() -> bytes:
    life = Life("late")
    life.create()
    return life.update(anchor_until=NOW)


def store(batches: tuple[Batch, ...]) -> dict[str, bytes]:
    return {file.uri: file.data for batch in batches for file in batch.files.files}


def test_every_operation_has_one_outcome_and_those_that_hold_are_in_a_batch(queue: list[Queued]) -> None:
    found = assemble(queue, PROTOCOLS, NOW, address)
    by_status = {
        status: [outcome.sequence for outcome in found.outcomes if outcome.status is status]
        for status in Status
    }
    assert [outcome.sequence for outcome in found.outcomes] == list(range(39))
    assert {status: len(sequences) for status, sequences in by_status.items()} == {
        Status.OK: 36,
        Status.EXPIRED: 1,
        Status.INVALID: 2,
    }
    placed = [candidate.sequence for batch in found.batches for candidate in batch.plan.candidates]
    assert sorted(placed) == by_status[Status.OK]


def test_what_is_anchored_is_what_was_queued(queue: list[Queued]) -> None:
    found = assemble(queue, PROTOCOLS, NOW, address)
    files = store(found.batches)
    for batch in found.batches:
        read = read_batch(str(batch.files.anchor_string), lambda uri, most: files[uri], PROTOCOLS.current())
        assert sorted(entry.request for entry in read) == sorted(
            candidate.request for candidate in batch.plan.candidates
        )


def test_rounds_come_one_after_the_other(queue: list[Queued]) -> None:
    rounds = [batch.plan.round for batch in assemble(queue, PROTOCOLS, NOW, address).batches]
    assert rounds == sorted(rounds)
    assert set(rounds) == {0, 1, 2, 3}


@pytest.mark.parametrize("partitions", [1, 2, 3, 7, 39])
def test_files_are_the_same_to_the_byte_however_the_queue_is_partitioned(
    queue: list[Queued], partitions: int
) -> None:
    chance = random.Random(partitions)
    parts = [queue[place::partitions] for place in range(partitions)]
    chance.shuffle(parts)
    judged = [judge(queued, PROTOCOLS, NOW) for part in parts for queued in part]
    plans = planned([found.candidate for found in judged if found.candidate], PROTOCOLS)
    chance.shuffle(plans)
    batches = [batch for plan in plans for batch in built(plan, PROTOCOLS, address)]
    expected = assemble(queue, PROTOCOLS, NOW, address).batches
    assert sorted(str(batch.files.anchor_string) for batch in batches) == sorted(
        str(batch.files.anchor_string) for batch in expected
    )
    assert store(tuple(batches)) == store(expected)


def test_files_that_turn_out_too_large_make_two_batches() -> None:
    requests = [Life(f"life{number}").create() for number in range(8)]
    queue = [Queued(place, request) for place, request in enumerate(requests)]
    (whole,) = assemble(queue, PROTOCOLS, NOW, address).batches
    size = len(next(file.data for file in whole.files.files if file.name == "chunk file"))
    # The estimate says that all fit; the file says that they do not.
    assert sum(candidate.weights[4] for candidate in whole.plan.candidates) < size
    tight = Protocols([replace(PROTOCOLS.current(), max_chunk_file_size=size - 1)])
    batches = assemble(queue, tight, NOW, address).batches
    assert [[candidate.sequence for candidate in batch.plan.candidates] for batch in batches] == [
        [0, 1, 2, 3],
        [4, 5, 6, 7],
    ]
    assert all(batch.files.fit(tight.current()) for batch in batches)


def test_an_empty_queue_makes_no_batch() -> None:
    assert assemble([], PROTOCOLS, NOW, address).batches == ()
