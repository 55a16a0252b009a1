from __future__ import annotations

from penstock.did.operation_queue.pending import Entry, Pending, entry_of
from penstock.sidetree.batches.weighing import weights_in
from tests.did.operation_queue.helpers import posted


def entry(number: int, *, has_error: bool = False, added_at: float = 0.0) -> Entry:
    return entry_of(posted(number, has_error=has_error), added_at)


def lanes(pending: Pending) -> list[list[str]]:
    return [[each.suffix for each in lane] for lane in pending.lanes()]


def test_an_entry_is_what_the_cutter_asks_for() -> None:
    made = posted(7, type="update", protocol_version=5, has_error=True, anchor_origin="https://orb.example")
    assert entry_of(made, 3.0, 4711) == Entry(
        id=made.id,
        suffix="did-7",
        type="update",
        version=5,
        weights=weights_in("update", made.operation.operation_request),
        has_error=True,
        added_at=3.0,
        anchor_origin="https://orb.example",
        sequence=4711,
    )
    assert entry_of(made, 3.0).sequence == 0


def test_what_waits_is_weighed_however_it_came_and_went() -> None:
    pending = Pending()
    first, later = entry_of(posted(1), 0.0), entry_of(posted(2, protocol_version=5), 0.0)
    pending.add([first, later, later])
    assert (pending.weight, pending.is_mixed) == (sum(first.weights) + sum(later.weights), True)
    pending.remove([later.id, "unknown"])
    assert (pending.weight, pending.is_mixed) == (sum(first.weights), False)
    pending.put_back([first, later])
    assert (pending.weight, pending.is_mixed) == (sum(first.weights) + sum(later.weights), True)
    pending.remove([first.id, later.id])
    assert (pending.weight, pending.is_mixed) == (0, False)


def test_operations_wait_in_order_each_once() -> None:
    pending = Pending()
    pending.add([entry(1), entry(2)])
    pending.add([entry(2), entry(3), entry(1)])
    assert lanes(pending) == [["did-1", "did-2", "did-3"]]
    assert len(pending) == 3
    assert entry(2).id in pending
    assert entry(4).id not in pending


def test_those_that_were_blamed_wait_apart_and_the_oldest_head_is_first() -> None:
    pending = Pending()
    pending.add([entry(1, added_at=5), entry(2, has_error=True, added_at=3), entry(3, added_at=2)])
    assert lanes(pending) == [["did-2"], ["did-1", "did-3"]]
    pending.remove([entry(2).id])
    assert lanes(pending) == [["did-1", "did-3"]]
    assert repr(pending) == "<Pending 2, and 0 that were blamed before>"


def test_from_anywhere_they_are_removed_and_strangers_passed_over() -> None:
    pending = Pending()
    pending.add([entry(1), entry(2), entry(3, has_error=True)])
    pending.remove([entry(2).id, entry(3).id, "nobody"])
    assert lanes(pending) == [["did-1"]]
    assert lanes(Pending()) == []


def test_what_is_put_back_comes_first_in_its_order() -> None:
    pending = Pending()
    pending.add([entry(1), entry(4, has_error=True)])
    pending.put_back([entry(2), entry(3), entry(5, has_error=True)])
    assert lanes(pending) == [["did-2", "did-3", "did-1"], ["did-5", "did-4"]]


def test_those_of_a_did_that_is_held_keep_their_places_and_are_in_no_lane() -> None:
    pending = Pending()
    pending.add([entry(1), entry(2), entry(3), entry(4, has_error=True)])
    pending.held.update(["did-1", "did-4"])
    assert lanes(pending) == [["did-2", "did-3"]]
    assert len(pending) == 4
    pending.held.clear()
    assert lanes(pending) == [["did-1", "did-2", "did-3"], ["did-4"]]
