from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.did.batches.waiting import WaitingOperations, waiting_operations
from penstock.did.operation_queue.cuts import nack_cut, read_cut
from tests.did.batches.circle import created
from tests.sidetree.lives import NOW, Life

if TYPE_CHECKING:
    from tests.did.batches.circle import Circle


def test_what_is_in_no_batch_is_counted_by_who_has_it(circle: Circle) -> None:
    nothing = WaitingOperations(waiting=0, oldest_at=None, detached=0, last_error=None)
    assert circle.database.read(waiting_operations) == nothing
    posted = circle.queue(*(created(Life(name)) for name in "abc"))
    circle.queue(created(Life("later")))
    cut = circle.database.read(read_cut, circle.cut(posted[:2]).id)
    assert cut is not None
    found = circle.database.read(waiting_operations)
    assert (found.waiting, found.oldest_at, found.detached) == (2, NOW, 0)
    # A batch that fails leaves its operations to be posted anew.
    circle.database.do(nack_cut, cut, claim="c", now=NOW, error="no witness", blamed=[posted[0].id])
    found = circle.database.read(waiting_operations)
    assert (found.waiting, found.detached, found.last_error) == (2, 2, "no witness")
