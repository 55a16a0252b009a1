from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from penstock.did.operation_queue.cuts import (
    LeftOut,
    ack_cut,
    adopt_cut,
    adopt_cuts,
    make_cut,
    nack_cut,
    open_cuts,
    read_cut,
    record_anchor,
    record_files,
)
from penstock.did.operation_queue.detached import CLAIM_S, REFUSED
from penstock.did.operation_queue.tables import DETACHED, bodies, cuts
from penstock.did.operation_queue.taking import read_posted, take
from penstock.errors import CutLost
from tests.did.operation_queue.helpers import posted
from tests.did.operation_queue.support import NOW, cut_all, rows, take_all

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from penstock.did.database import DomainDatabase
    from penstock.did.operation_queue.cuts import CutRecord

ONE, TWO, THREE = posted(1), posted(2), posted(3)


def again(database: DomainDatabase, record: CutRecord) -> CutRecord:
    """The cut as it is in the database now."""
    found = database.do(read_cut, record.id)
    assert found is not None
    return found


def written(database: DomainDatabase, record: CutRecord, left_out: LeftOut | None = None) -> CutRecord:
    database.do(record_files, record, {"core": "hl:x"}, left_out or LeftOut(), now=NOW)
    return again(database, record)


def anchored(database: DomainDatabase, record: CutRecord, left_out: LeftOut | None = None) -> CutRecord:
    database.do(record_anchor, written(database, record, left_out), "hl:anchor", now=NOW)
    return again(database, record)


def ack(database: DomainDatabase, record: CutRecord) -> None:
    database.do(ack_cut, record, claim="claim", now=NOW, lifespan=120.0, expires_at=NOW + 3600)


def nack(database: DomainDatabase, record: CutRecord, error: str = "why", blamed: Sequence[str] = ()) -> None:
    database.do(nack_cut, record, claim="c", now=NOW, error=error, blamed=blamed)


def test_a_cut_has_the_operations_in_the_order_they_were_asked_for(kept: DomainDatabase) -> None:
    take_all(kept, "me", ONE, TWO, THREE)
    record = kept.do(make_cut, "me", [THREE.id, ONE.id, THREE.id], version=100, now=NOW)
    assert record is not None
    assert record == again(kept, record)
    assert (record.operations, record.version, record.state) == ((THREE.id, ONE.id), 100, "cut")
    assert kept.do(read_posted, record.operations) == [THREE, ONE]
    assert rows(kept, "cut") == [record.id, None, record.id]


def test_a_cut_leaves_out_what_is_not_the_instances_any_more(kept: DomainDatabase) -> None:
    take_all(kept, "me", ONE, TWO, THREE)
    take_all(kept, "other", posted(2, retries=1))
    first = kept.do(make_cut, "me", [ONE.id], version=0, now=NOW)
    second = kept.do(make_cut, "me", [ONE.id, TWO.id, THREE.id, "nobody"], version=0, now=NOW)
    assert first is not None
    assert second is not None
    assert (first.operations, second.operations) == ((ONE.id,), (THREE.id,))
    assert second.id > first.id


def test_a_cut_knows_the_numbers_of_its_rows_in_order(kept: DomainDatabase) -> None:
    mine = kept.do(take, "me", [ONE, TWO, THREE], now=NOW, lifespan=120.0)
    take_all(kept, "other", posted(2, retries=1))
    ids = [THREE.id, TWO.id, ONE.id, THREE.id]
    record = kept.do(make_cut, "me", ids, version=0, now=NOW, sequences=[mine[each] for each in ids])
    assert record is not None
    assert record == again(kept, record)
    assert (record.operations, record.sequences) == ((THREE.id, ONE.id), (mine[THREE.id], mine[ONE.id]))


@pytest.mark.parametrize("sequences", [(), (1, 0), (1,)])
def test_a_cut_knows_all_numbers_or_none(kept: DomainDatabase, sequences: tuple[int, ...]) -> None:
    take_all(kept, "me", ONE, TWO)
    record = kept.do(make_cut, "me", [ONE.id, TWO.id], version=0, now=NOW, sequences=sequences)
    assert record is not None
    assert (record.sequences, again(kept, record).sequences) == ((), ())
    assert rows(kept, "sequences", table=cuts) == [None]


def test_what_is_cut_is_said_by_ids_and_not_by_numbers(kept: DomainDatabase) -> None:
    mine = kept.do(take, "me", [ONE, TWO], now=NOW, lifespan=120.0)
    # The number is another's by now.
    record = kept.do(make_cut, "me", [ONE.id], version=0, now=NOW, sequences=[mine[TWO.id]])
    assert record is not None
    assert rows(kept, "cut") == [record.id, None]


def test_of_nothing_there_is_no_cut(kept: DomainDatabase) -> None:
    take_all(kept, "other", ONE)
    assert kept.do(make_cut, "me", [ONE.id], version=0, now=NOW) is None
    assert rows(kept, "id", table=cuts) == []
    assert kept.do(read_cut, 1) is None


def test_the_number_of_a_cut_that_is_gone_does_not_come_again(kept: DomainDatabase) -> None:
    record = cut_all(kept, "me", ONE)
    nack(kept, record)
    assert cut_all(kept, "me", TWO).id > record.id


def test_a_cut_goes_from_state_to_state_and_remembers(kept: DomainDatabase) -> None:
    record = written(kept, cut_all(kept, "me", ONE, TWO), LeftOut((TWO.id,)))
    assert (record.state, record.files, record.left_out.deferred) == ("files", {"core": "hl:x"}, (TWO.id,))
    kept.do(record_anchor, record, "hl:anchor", now=NOW)
    record = again(kept, record)
    assert (record.state, record.anchor, record.included) == ("anchored", "hl:anchor", [ONE.id])
    assert kept.do(open_cuts, "me") == [record]
    ack(kept, record)
    assert kept.do(open_cuts, "me") == []


def test_acked_operations_are_remembered_and_not_taken_again(kept: DomainDatabase) -> None:
    ack(kept, anchored(kept, cut_all(kept, "me", ONE)))
    assert kept.do(read_posted, [ONE.id]) == [ONE]
    assert take_all(kept, "other", posted(1, retries=7)) == set()


def test_deferred_operations_wait_here_again_and_refused_ones_are_given_up(kept: DomainDatabase) -> None:
    left_out = LeftOut((TWO.id,), {THREE.id: "no good"})
    ack(kept, anchored(kept, cut_all(kept, "me", ONE, TWO, THREE), left_out))
    assert rows(kept, "task", "claim", "due_at", "retries", "error")[1:] == [
        ("me", None, None, 0, None),
        (DETACHED, "claim", NOW + CLAIM_S, REFUSED, "no good"),
    ]
    assert rows(kept, "cut")[1:] == [None, None]


def test_a_cut_whose_files_have_nothing_is_acked_without_an_anchor(kept: DomainDatabase) -> None:
    record = written(kept, cut_all(kept, "me", ONE), LeftOut((), {ONE.id: "expired"}))
    ack(kept, record)
    assert again(kept, record).state == "acked"


def test_a_nacked_cut_is_no_more_and_its_operations_are_detached(kept: DomainDatabase) -> None:
    record = written(kept, cut_all(kept, "me", ONE, TWO))
    nack(kept, record, error="no witness", blamed=[TWO.id])
    assert rows(kept, "task", "cut", "claim", "retries", "has_error", "error") == [
        (DETACHED, None, "c", 1, False, "no witness"),
        (DETACHED, None, "c", 1, True, "no witness"),
    ]
    assert kept.do(read_cut, record.id) is None


def test_a_dead_instances_open_cuts_are_adopted_as_they_are(kept: DomainDatabase) -> None:
    first = written(kept, cut_all(kept, "other", ONE))
    done = anchored(kept, cut_all(kept, "other", TWO))
    ack(kept, done)
    assert kept.do(adopt_cuts, "other", "me") == 1
    assert [each.id for each in kept.do(open_cuts, "me")] == [first.id]
    assert kept.do(open_cuts, "me")[0].files == first.files
    assert kept.do(adopt_cuts, "other", "me") == 0


def test_one_cut_is_adopted_by_its_number_while_it_is_open(kept: DomainDatabase) -> None:
    record = cut_all(kept, "other", ONE)
    assert kept.do(adopt_cut, record.id, "me").task == "me"
    ack(kept, anchored(kept, again(kept, record)))
    for number in (record.id, 4711):
        with pytest.raises(CutLost, match="settled before, or never made"):
            kept.do(adopt_cut, number, "me")


STEPS: dict[str, Callable[[DomainDatabase, CutRecord], object]] = {
    "files": lambda database, record: database.do(record_files, record, {}, LeftOut(), now=NOW),
    "anchor": lambda database, record: database.do(record_anchor, record, "hl:y", now=NOW),
    "ack": ack,
    "nack": nack,
}


@pytest.mark.parametrize("step", STEPS)
def test_an_instance_that_has_lost_a_cut_changes_nothing_in_it(kept: DomainDatabase, step: str) -> None:
    mine = cut_all(kept, "me", ONE)
    if step in {"anchor", "nack"}:
        mine = written(kept, mine)
    elif step == "ack":
        mine = anchored(kept, mine)
    kept.do(adopt_cut, mine.id, "other")
    before = (again(kept, mine), rows(kept, "task", "cut"), rows(kept, "body", table=bodies))
    with pytest.raises(CutLost, match=f"cut {mine.id} is not me's any more"):
        STEPS[step](kept, mine)
    assert (again(kept, mine), rows(kept, "task", "cut"), rows(kept, "body", table=bodies)) == before


@pytest.mark.parametrize(
    ("state", "step"),
    [
        ("cut", "anchor"),
        ("cut", "ack"),
        ("files", "files"),
        ("files", "ack"),
        ("anchored", "files"),
        ("anchored", "anchor"),
        ("anchored", "nack"),
        ("acked", "files"),
        ("acked", "anchor"),
        ("acked", "ack"),
        ("acked", "nack"),
    ],
)
def test_no_step_is_left_out_or_done_twice(kept_in_memory: DomainDatabase, state: str, step: str) -> None:
    record = cut_all(kept_in_memory, "me", ONE)
    if state == "files":
        record = written(kept_in_memory, record)
    elif state != "cut":
        record = anchored(kept_in_memory, record)
    if state == "acked":
        ack(kept_in_memory, record)
    with pytest.raises(CutLost):
        STEPS[step](kept_in_memory, record)
    assert again(kept_in_memory, record).state == state
