from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import delete, update

from penstock.did.batches.contents import BatchOperation, operations_of_batch
from penstock.did.operation_queue.tables import bodies, cuts
from tests.did.batches.circle import created
from tests.did.kept_operations import change_operations
from tests.did.observing.helpers import forged
from tests.did.operation_queue.helpers import run
from tests.sidetree.lives import Life

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection

    from tests.did.batches.circle import Circle


def contents(circle: Circle, number: int, start: int = 0, limit: int = 10) -> list[BatchOperation]:
    return circle.database.read(operations_of_batch, number, start, limit)


def outcomes(circle: Circle, number: int) -> list[tuple[str | None, str]]:
    return [(each.suffix, each.outcome) for each in contents(circle, number)]


def test_an_operation_is_known_by_its_did_from_the_cut_on_and_resolvable_in_the_end(circle: Circle) -> None:
    async def story() -> None:
        life = Life()
        cut = circle.cut(circle.queue(created(life)))
        queued = BatchOperation(id=cut.operations[0].id, type="create", suffix=life.suffix, outcome="queued")
        assert contents(circle, cut.id) == [queued]
        await circle.write(cut)
        await circle.anchor(cut)
        assert contents(circle, cut.id) == [queued]
        await circle.publish()
        assert [outcome.error for outcome in circle.observe()] == [None]
        (found,) = contents(circle, cut.id)
        assert (found.outcome, found.reason) == ("resolvable", "")
        assert found.did is not None
        assert found.did.startswith("did:orb:uEi")
        assert found.did.endswith(life.suffix)

    run(story())


def test_what_went_wrong_comes_first_with_its_reason(circle: Circle) -> None:
    async def story() -> None:
        life, late, bad, good = Life(), Life("late"), Life("bad"), Life("good")
        await circle.go_round(created(life))
        posted = circle.queue(created(good), created(late), forged(life.update()), created(bad))
        cut = circle.cut(posted)
        await circle.write(cut, deferred=[posted[1].id], refused={posted[3].id: "its patch cannot be"})
        await circle.anchor(cut)
        await circle.publish()
        assert [outcome.error for outcome in circle.observe()] == [None]
        assert outcomes(circle, cut.id) == [
            (bad.suffix, "refused"),
            (life.suffix, "unfit"),
            (late.suffix, "deferred"),
            (good.suffix, "resolvable"),
        ]
        refused, unfit, *_ = contents(circle, cut.id)
        assert refused.reason == "its patch cannot be"
        assert "signature" in unfit.reason
        assert [each.suffix for each in contents(circle, cut.id, start=1, limit=2)] == [
            life.suffix,
            late.suffix,
        ]

    run(story())


def test_what_is_stored_may_change_nothing_or_belong_to_nobody(quick: Circle) -> None:
    async def story() -> None:
        life, stranger = Life(), Life("stranger")
        await quick.go_round(created(life))
        await quick.go_round(created(stranger))
        life.update()
        # The update before this one never came; and the other DID's create is lost.
        cut = await quick.go_round(life.update(), stranger.update())
        theirs = (stranger.suffix, "create")
        quick.database.do(
            change_operations, lambda each: None if (each.suffix, each.type) == theirs else each
        )
        idle, unresolved = contents(quick, cut.id)
        assert (idle.suffix, idle.outcome, unresolved.outcome) == (life.suffix, "idle", "unresolved")
        assert "did not make a version" in idle.reason
        assert idle.did is not None
        assert "creates the DID" in unresolved.reason

    run(story())


def test_of_a_batch_whose_operations_an_older_penstock_has_forgotten_the_ids_are_known(quick: Circle) -> None:
    def forget(connection: Connection) -> None:
        connection.execute(update(cuts).values(contents=None))
        connection.execute(delete(bodies))

    async def story() -> None:
        cut = await quick.go_round(created(Life()))
        quick.database.do(forget)
        (found,) = contents(quick, cut.id)
        assert (found.id, found.type, found.suffix) == (cut.operations[0].id, None, None)

    run(story())


def test_there_is_nothing_in_a_batch_that_was_never_cut(quick: Circle) -> None:
    assert contents(quick, 4711) == []
