from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import insert

from penstock.did.anchoring.anchor_witnesses import add_witnesses, read_witnesses
from penstock.did.anchoring.in_process import (
    AnchorRecord,
    complete,
    due_anchors,
    expire_completed,
    has_waited,
    is_any_overdue,
    mark_offered,
    mark_proved,
    next_round,
    postpone,
    read_anchor,
    record_anchor,
)
from penstock.did.anchoring.links import put_observed, put_pending, put_told
from penstock.did.anchoring.noting import note_trouble
from penstock.did.cas import HashLink
from penstock.did.operation_queue.tables import cuts
from penstock.did.witnesses import SYSTEM, Witness

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection

    from penstock.did.database import DomainDatabase

NEW = AnchorRecord(anchor="hl:x", cut=7, linkset=b"{}", round=1, asked_at=10.0, ends_at=20.0, check_at=15.0)


def now_is(database: DomainDatabase) -> AnchorRecord:
    found = database.do(read_anchor, NEW.anchor)
    assert found is not None
    return found


@pytest.fixture
def recorded(kept: DomainDatabase) -> DomainDatabase:
    kept.do(record_anchor, NEW)
    return kept


def test_an_anchor_is_read_as_it_was_recorded(recorded: DomainDatabase) -> None:
    assert now_is(recorded) == NEW
    assert recorded.do(read_anchor, NEW.anchor, lock=True) == NEW
    assert recorded.do(read_anchor, "hl:y") is None


def test_an_anchor_that_is_there_stays_as_it_is(recorded: DomainDatabase) -> None:
    recorded.do(record_anchor, replace(NEW, linkset=b"other"))
    assert now_is(recorded) == NEW


def put_batch(connection: Connection, /, **told: object) -> None:
    values = {"id": NEW.cut, "task": "me", "state": "anchored", "version": 0, "left_out": "{}"}
    connection.execute(insert(cuts).values(**values, operations="[]", **told))


def test_an_anchor_has_waited_since_its_batch_was_anchored(recorded: DomainDatabase) -> None:
    # Of a batch that is forgotten nothing is known but that it is old.
    assert recorded.do(has_waited, NEW, 0.0)
    recorded.do(put_batch, made_at=10.0, anchored_at=12.0)
    assert not recorded.do(has_waited, NEW, 11.0)
    assert recorded.do(has_waited, NEW, 12.0)


def test_an_anchor_is_overdue_by_when_its_batch_was_cut_until_it_is_completed(
    recorded: DomainDatabase,
) -> None:
    assert recorded.do(is_any_overdue, 1.0)
    recorded.do(put_batch, made_at=10.0)
    assert not recorded.do(is_any_overdue, 9.0)
    assert recorded.do(is_any_overdue, 10.0)
    recorded.do(complete, NEW.anchor, 99.0)
    assert not recorded.do(is_any_overdue, 10.0)


def test_and_until_it_is_observed(recorded: DomainDatabase) -> None:
    link = HashLink.of(b"a linkset")
    recorded.do(put_batch, made_at=10.0, linkset=link.hash)
    recorded.do(complete, NEW.anchor, 99.0)
    assert [recorded.do(is_any_overdue, since) for since in (9.0, 10.0)] == [False, True]
    recorded.do(put_pending, link, 11.0)
    assert recorded.do(is_any_overdue, 10.0)
    recorded.do(put_told, link.hash, 11.0)
    assert recorded.do(is_any_overdue, 10.0)
    recorded.do(put_observed, link, 12.0)
    assert not recorded.do(is_any_overdue, 10.0)


def test_so_it_is_not_if_nobody_can_make_anything_of_it(recorded: DomainDatabase) -> None:
    link = HashLink.of(b"a linkset")
    recorded.do(put_batch, made_at=10.0, linkset=link.hash)
    recorded.do(complete, NEW.anchor, 99.0)
    recorded.do(note_trouble, link.hash, "it is about nothing")
    assert not recorded.do(is_any_overdue, 10.0)


@pytest.mark.parametrize(
    ("record", "expected"),
    [
        (NEW, True),
        (replace(NEW, is_offered=True), False),
        (replace(NEW, round=0), False),
        (replace(NEW, status="proved"), False),
    ],
)
def test_an_offer_awaits_posting_until_it_is_posted(record: AnchorRecord, *, expected: bool) -> None:
    assert record.awaits_posting is expected


def test_an_offer_is_marked_in_its_own_round_only(recorded: DomainDatabase) -> None:
    recorded.do(mark_offered, replace(NEW, round=2))
    assert not now_is(recorded).is_offered
    recorded.do(mark_offered, NEW)
    assert now_is(recorded).is_offered


def test_of_two_next_rounds_one_counts(recorded: DomainDatabase) -> None:
    recorded.do(mark_offered, NEW)
    assert recorded.do(next_round, NEW, asked_at=30.0, ends_at=40.0, check_at=35.0)
    assert not recorded.do(next_round, NEW, asked_at=31.0, ends_at=41.0, check_at=36.0)
    assert now_is(recorded) == replace(NEW, round=2, asked_at=30.0, ends_at=40.0, check_at=35.0)


def test_anchors_are_due_in_order_and_some_at_a_time(recorded: DomainDatabase) -> None:
    recorded.do(record_anchor, replace(NEW, anchor="hl:early", check_at=12.0))
    recorded.do(record_anchor, replace(NEW, anchor="hl:late", check_at=99.0))
    assert recorded.do(due_anchors, 15.0, 10) == ["hl:early", "hl:x"]
    assert recorded.do(due_anchors, 15.0, 1) == ["hl:early"]
    recorded.do(postpone, NEW, 50.0)
    assert recorded.do(due_anchors, 15.0, 10) == ["hl:early"]


def test_a_proved_anchor_is_due_at_once_and_has_no_further_rounds(recorded: DomainDatabase) -> None:
    recorded.do(mark_proved, NEW.anchor, b"final")
    recorded.do(mark_proved, NEW.anchor, b"another")
    assert (now_is(recorded).status, now_is(recorded).linkset) == ("proved", b"final")
    assert recorded.do(due_anchors, 0.0, 10) == [NEW.anchor]
    assert not recorded.do(next_round, NEW, asked_at=1.0, ends_at=1.0, check_at=1.0)


def test_a_completed_anchor_is_remembered_for_a_while(recorded: DomainDatabase) -> None:
    recorded.do(add_witnesses, NEW.anchor, [Witness(iri="https://b", role=SYSTEM)])
    recorded.do(record_anchor, replace(NEW, anchor="hl:open"))
    recorded.do(mark_proved, NEW.anchor, b"final")
    recorded.do(complete, NEW.anchor, 100.0)
    # Once more changes nothing.
    recorded.do(complete, NEW.anchor, 200.0)
    assert (now_is(recorded).status, now_is(recorded).linkset) == ("completed", None)
    assert recorded.do(read_witnesses, NEW.anchor) == []
    assert recorded.do(due_anchors, 1e9, 10) == ["hl:open"]
    assert recorded.do(expire_completed, 99.0, 10) == 0
    assert recorded.do(expire_completed, 100.0, 10) == 1
    assert recorded.do(read_anchor, NEW.anchor) is None
    # What is open never expires.
    assert recorded.do(expire_completed, 1e9, 10) == 0
