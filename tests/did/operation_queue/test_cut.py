from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest
import sqlalchemy as sa

from penstock.did.operation_queue.cut import Cut, CutDesk
from penstock.did.operation_queue.pending import Pending, entry_of
from penstock.did.operation_queue.reposting import Reposter
from penstock.did.operation_queue.tables import DETACHED, cuts
from penstock.did.parameters import DidParameters
from penstock.did.queues import DomainQueues
from penstock.errors import CutLost, DidError, StoreError
from tests.did.operation_queue.helpers import posted, read, run
from tests.did.operation_queue.support import NOW, cut_all, rows

if TYPE_CHECKING:
    from penstock.did.database import DomainDatabase
    from tests.did.operation_queue.helpers import PaperBroker

ONE, TWO, THREE = posted(1), posted(2), posted(3)
PARAMETERS = DidParameters()


@pytest.fixture
def desk(kept_in_memory: DomainDatabase, broker: PaperBroker) -> CutDesk:
    reposter = Reposter(kept_in_memory, broker, policy=PARAMETERS.reposting, queues=DomainQueues())
    return CutDesk(kept_in_memory, Pending(), reposter, parameters=PARAMETERS, clock=broker.clock)


@pytest.fixture
def cut(desk: CutDesk) -> Cut:
    batch = [ONE, TWO, THREE]
    return Cut(cut_all(desk.database, "me", *batch), [entry_of(each, NOW) for each in batch], desk)


def test_a_batch_is_written_anchored_and_acked(cut: Cut, desk: CutDesk) -> None:
    async def story() -> int:
        await cut.record_files({"core": "hl:core"})
        await cut.record_anchor("hl:anchor")
        return await cut.ack()

    assert repr(cut) == f"<Cut {cut.id}, 3 operations, cut>"
    assert desk.in_hand == {cut.id}
    assert run(story()) == 0
    assert (cut.state, cut.files, cut.anchor, cut.version) == (
        "anchored",
        {"core": "hl:core"},
        "hl:anchor",
        0,
    )
    assert rows(desk.database, "cut") == [cut.id] * 3
    assert rows(desk.database, "state", "expires_at", table=cuts) == [("acked", NOW + 86_400)]
    assert rows(desk.database, "written_at", "anchored_at", table=cuts) == [(NOW, NOW)]
    # Of what was in the operations this is left.
    contents = [["create", "did-1"], ["create", "did-2"], ["create", "did-3"]]
    assert msgspec.json.decode(rows(desk.database, "contents", table=cuts)[0]) == contents
    assert desk.in_hand == set()


def test_deferred_operations_come_before_those_that_wait_and_refused_ones_are_dead_letters(
    cut: Cut, desk: CutDesk, broker: PaperBroker
) -> None:
    async def story() -> int:
        await cut.record_files({}, deferred=[TWO.id], refused={THREE.id: "its patch cannot be"})
        await cut.record_anchor("hl:anchor")
        return await cut.ack()

    later = posted(9, unique_suffix="did-2")
    desk.pending.add([entry_of(later, NOW)])
    assert run(story()) == 2
    assert [entry.id for entry in desk.pending.lanes()[0]] == [TWO.id, later.id]
    assert [read(message).id for message in broker.dead] == [THREE.id]
    assert broker.dead[0].headers["x-penstock-error"] == "its patch cannot be"


def test_a_nacked_batch_is_posted_anew_and_those_to_blame_are_marked(
    cut: Cut, desk: CutDesk, broker: PaperBroker
) -> None:
    error = TimeoutError("no witness answers")
    assert run(cut.nack(error, blamed=["did-2", "did-unknown"])) == 0
    found = [read(message) for _, message in broker.queues["orb.operation"]]
    assert [(each.id, each.retries, each.has_error) for each in found] == [
        (ONE.id, 1, False),
        (TWO.id, 1, True),
        (THREE.id, 1, False),
    ]
    assert rows(desk.database, "id") == []
    assert desk.in_hand == set()


def test_a_nacked_batch_waits_for_the_monitor_while_the_broker_is_away(
    cut: Cut, desk: CutDesk, broker: PaperBroker
) -> None:
    broker.is_connected = False
    run(cut.nack("no witness"))
    assert rows(desk.database, "task", "error") == [(DETACHED, "no witness")] * 3


def test_a_nacked_batch_waits_for_the_monitor_when_the_database_goes_meanwhile(
    cut: Cut, desk: CutDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def goes(_self: Reposter, _claim: str) -> None:
        raise StoreError("it is gone")

    monkeypatch.setattr(Reposter, "repost", goes)
    run(cut.nack("no witness"))
    assert rows(desk.database, "task") == [DETACHED] * 3


def test_what_is_done_along_with_a_step_is_done_if_the_step_is(cut: Cut, desk: CutDesk) -> None:
    anchors = sa.Table("anchors", sa.MetaData(), sa.Column("cut", sa.Integer))
    desk.database.do(anchors.create)

    def anchor(connection: sa.Connection) -> None:
        connection.execute(sa.insert(anchors).values(cut=cut.id))

    def count() -> int | None:
        return desk.database.do(lambda c: c.scalar(sa.select(sa.func.count()).select_from(anchors)))

    with pytest.raises(CutLost):
        run(cut.record_anchor("hl:anchor", also=anchor))
    assert (cut.state, count()) == ("cut", 0)
    run(cut.record_files({}))
    run(cut.record_anchor("hl:anchor", also=anchor))
    assert (cut.state, count()) == ("anchored", 1)


def test_a_step_is_not_done_if_what_goes_along_with_it_fails(cut: Cut, desk: CutDesk) -> None:
    def fails(_connection: sa.Connection) -> None:
        raise DidError("no anchor")

    run(cut.record_files({}))
    with pytest.raises(DidError, match="no anchor"):
        run(cut.record_anchor("hl:anchor", also=fails))
    assert cut.state == "files"
    assert rows(desk.database, "state", table=cuts) == ["files"]


def test_only_its_own_operations_can_be_left_out(cut: Cut) -> None:
    with pytest.raises(DidError, match=f"cut {cut.id} has no operation x"):
        run(cut.record_files({}, deferred=["x"]))
    assert cut.state == "cut"
