from __future__ import annotations

from dataclasses import replace
from math import inf
from typing import TYPE_CHECKING, Any

import pytest

from penstock.did.operation_queue.cut import CutDesk
from penstock.did.operation_queue.cuts import adopt_cut
from penstock.did.operation_queue.cutter import CutRules
from penstock.did.operation_queue.cutting import Cutting
from penstock.did.operation_queue.pending import Pending, entry_of
from penstock.did.operation_queue.reposting import Reposter
from penstock.did.operation_queue.tables import cuts
from penstock.did.operation_queue.taking import take
from penstock.did.parameters import DidParameters
from penstock.did.queues import DomainQueues
from penstock.errors import CutLost, StoreError
from tests.did.operation_queue.helpers import posted, run
from tests.did.operation_queue.support import NOW, cut_all, rows, take_all

if TYPE_CHECKING:
    from penstock.clock import VirtualClock
    from penstock.did.database import DomainDatabase
    from penstock.did.operation_queue import Cut
    from penstock.did.operation_queue.operation import Posted
    from tests.did.operation_queue.helpers import PaperBroker


class Shop:
    """An instance's cutting, on a database and a broker on paper."""

    def __init__(self, database: DomainDatabase, broker: PaperBroker, **parameters: Any) -> None:
        self.database = database
        made = DidParameters(**parameters)
        reposter = Reposter(database, broker, policy=made.reposting, queues=DomainQueues())
        self.pending = Pending()
        desk = CutDesk(database, self.pending, reposter, parameters=made, clock=broker.clock)
        self.cutting = Cutting(desk, me="me", rules=CutRules(max_operation_count=3, timeout=60.0))

    def take(self, *batch: Posted, now: float = NOW) -> None:
        mine = self.database.do(take, "me", batch, now=now, lifespan=120.0)
        self.pending.add(entry_of(each, now, mine[each.id]) for each in batch)

    def cut(self, *, most: int | None = None, force: bool = False) -> str | None:
        """The numbers of the operations that are cut."""
        return said(run(self.cutting.cut(most=most, force=force)))


@pytest.fixture
def shop(kept_in_memory: DomainDatabase, broker: PaperBroker) -> Shop:
    return Shop(kept_in_memory, broker)


def said(cut: Cut | None) -> str | None:
    if cut is None:
        return None
    return "".join(each.suffix.removeprefix("did-") for each in cut.operations)


def test_a_batch_is_cut_when_it_is_full_or_old_enough(shop: Shop, clock: VirtualClock) -> None:
    assert shop.cutting.next_due() is None
    shop.take(posted(1), posted(2))
    assert shop.cut() is None
    shop.take(posted(3), posted(4), now=NOW + 5)
    assert shop.cut() == "123"
    assert shop.cut() is None
    assert shop.cutting.next_due() == NOW + 65
    clock.advance(65)
    assert shop.cut() == "4"
    assert shop.cut(force=True) is None


def test_a_cut_is_told_the_numbers_of_its_rows_and_opened_again_has_them(shop: Shop) -> None:
    shop.take(posted(1), posted(2))
    cut = run(shop.cutting.cut(most=None, force=True))
    assert [each.sequence for each in cut.operations] == [1, 2]
    assert rows(shop.database, "sequences", table=cuts) == ["[1,2]"]
    cut.put_down()
    (opened,) = run(shop.cutting.reopen())
    assert opened.operations == cut.operations


def test_a_batch_may_be_full_before_its_time(shop: Shop) -> None:
    assert not shop.cutting.may_be_full
    shop.take(posted(1), posted(2))
    assert not shop.cutting.may_be_full
    shop.take(posted(3, protocol_version=5))
    assert shop.cutting.may_be_full
    assert shop.cut() == "12"
    assert not shop.cutting.may_be_full
    shop.cutting._rules = replace(shop.cutting._rules, least_weight=shop.pending.weight)
    assert shop.cutting.may_be_full
    shop.cutting._rules = replace(shop.cutting._rules, least_weight=inf, max_operation_count=1)
    assert shop.cutting.may_be_full


def test_so_many_are_looked_at_or_removed_however_few_there_are(shop: Shop) -> None:
    shop.take(posted(1), posted(2), posted(3), posted(4))
    assert [each.id for each in run(shop.cutting.peek(2))] == [posted(1).id, posted(2).id]
    assert shop.cut(most=2, force=True) == "12"
    assert shop.cut(most=0, force=True) is None
    assert len(run(shop.cutting.peek(100))) == 2
    assert shop.cut(most=100, force=True) == "34"
    assert run(shop.cutting.peek(1)) == []


def test_what_was_blamed_is_cut_apart_by_limits_of_its_own(
    kept_in_memory: DomainDatabase, broker: PaperBroker
) -> None:
    shop = Shop(kept_in_memory, broker, op_queue_max_contiguous_operations_with_err=1)
    shop.take(posted(1, has_error=True), posted(2), posted(3, has_error=True), posted(4))
    # The one lane is full, and the other is not due.
    assert shop.cut() == "1"
    assert shop.cut() == "3"
    assert shop.cut() is None
    assert shop.cut(force=True) == "24"


def test_a_full_lane_is_cut_though_the_other_has_the_older_head(shop: Shop) -> None:
    shop.take(posted(9, has_error=True))
    shop.take(posted(1), posted(2), posted(3), now=NOW + 1)
    assert shop.cut() == "123"


def test_what_another_instance_has_taken_is_not_cut_and_not_asked_for_again(shop: Shop) -> None:
    shop.take(posted(1), posted(2), posted(3))
    take_all(shop.database, "other", posted(1, retries=1), posted(3, retries=1))
    assert shop.cut() == "2"
    assert len(shop.pending) == 0


def test_when_all_of_a_batch_is_in_other_hands_the_next_is_cut(shop: Shop) -> None:
    shop.take(posted(1), posted(2), posted(3), posted(4), posted(5), posted(6))
    take_all(shop.database, "other", *(posted(number, retries=1) for number in (1, 2, 3)))
    assert shop.cut() == "456"


def test_nothing_is_forgotten_while_the_database_is_away(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    def away(*_: object, **__: object) -> None:
        raise StoreError("it is away")

    shop.take(posted(1))
    with monkeypatch.context() as patched:
        patched.setattr(shop.database, "do", away)
        with pytest.raises(StoreError):
            shop.cut(force=True)
    assert shop.cut(force=True) == "1"


def test_a_cut_that_could_not_be_read_is_found_again(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    def breaks(*_: object) -> None:
        raise StoreError("it is away")

    cut_all(shop.database, "me", posted(1), posted(2))
    with monkeypatch.context() as patched:
        patched.setattr("penstock.did.operation_queue.cutting.read_entries", breaks)
        with pytest.raises(StoreError):
            run(shop.cutting.reopen())
    assert [said(each) for each in run(shop.cutting.reopen())] == ["12"]


def test_adopted_cuts_are_opened_once_as_they_were(shop: Shop) -> None:
    record = cut_all(shop.database, "other", posted(2), posted(1))
    assert run(shop.cutting.reopen()) == []
    shop.database.do(adopt_cut, record.id, "me")
    (cut,) = run(shop.cutting.reopen())
    assert (cut.id, said(cut)) == (record.id, "21")
    assert run(shop.cutting.reopen()) == []
    cut.put_down()
    assert [each.id for each in run(shop.cutting.reopen())] == [record.id]


def test_a_cut_is_opened_by_its_number_whoever_had_it(shop: Shop) -> None:
    record = cut_all(shop.database, "other", posted(1))
    cut = run(shop.cutting.reopen_cut(record.id))
    run(cut.record_files({}))
    assert rows(shop.database, "task", "state", table=cuts) == [("me", "files")]
    with pytest.raises(CutLost):
        run(shop.cutting.reopen_cut(record.id + 1))
