from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from sqlalchemy import update

from penstock.did.anchoring.noting import note_trouble
from penstock.did.batches.progress import BatchProgress, batches_in_progress, maybe_batch
from penstock.did.operation_queue.tables import cuts
from tests.did.anchoring.helpers import B, C
from tests.did.batches.circle import created
from tests.did.observing.helpers import forged
from tests.did.operation_queue.helpers import run
from tests.sidetree.lives import NOW, Life

if TYPE_CHECKING:
    from tests.did.batches.circle import Circle


def seen(circle: Circle) -> BatchProgress:
    (found,) = circle.database.read(batches_in_progress, 10)
    return found


def told(found: BatchProgress) -> dict[str, Any]:
    """What is there: nothing that is nought, nor what has not happened."""
    return {name: value for name, value in asdict(found).items() if value}


def test_a_batch_is_told_of_at_every_stage_with_its_times_and_counts(circle: Circle) -> None:
    async def story() -> None:
        life = Life()
        cut = circle.cut(circle.queue(created(life), created(Life("bob"))))
        so_far: dict[str, Any] = {"id": cut.id, "operations": 2, "queued_at": NOW, "cut_at": NOW + 1}
        assert told(seen(circle)) == {**so_far, "state": "cut"}

        await circle.write(cut)
        so_far |= {"written_at": NOW + 2}
        assert told(seen(circle)) == {**so_far, "state": "files"}

        await circle.anchor(cut)
        published = seen(circle)
        assert (published.state, published.published_at, published.anchor) == (
            "published",
            NOW + 3,
            cut.anchor,
        )
        assert published.linkset
        so_far |= dict.fromkeys(["anchored_at", "proved_at", "published_at"], NOW + 3)
        so_far |= {"anchor": cut.anchor, "linkset": published.linkset}
        assert told(published) == {**so_far, "state": "published"}

        await circle.publish()
        assert [outcome.error for outcome in circle.observe()] == [None]
        so_far |= {"observed_at": NOW + 4, "stored": 2, "url": f"https://a.example/cas/{published.linkset}"}
        assert told(seen(circle)) == {**so_far, "state": "observed"}

    run(story())


def test_witnesses_are_counted_while_they_are_waited_for_and_afterwards(circle: Circle) -> None:
    async def story() -> None:
        neighbours = circle.domain.neighbours
        neighbours.policy = "MinPercent(100,system)"
        neighbours.invited = [B.service, C.service]
        neighbours.logs = set(neighbours.invited)
        cut = circle.cut(circle.queue(created(Life())))
        await circle.write(cut)
        await circle.anchor(cut)
        waiting = seen(circle)
        assert (waiting.state, waiting.witnesses, waiting.proofs) == ("witnessing", 2, 0)
        # An operator asks for nobody's proof any more: whoever was asked, was asked.
        neighbours.policy = "OutOf(0,system)"
        circle.clock.advance(100)
        assert cut.anchor is not None
        assert await circle.domain.anchoring.monitor.look_at(cut.anchor)
        published = seen(circle)
        assert (published.state, published.witnesses, published.proofs) == ("published", 2, 0)
        assert published.proved_at == NOW + 104

    run(story())


def test_what_is_left_out_is_counted_where_it_was_found_out(circle: Circle) -> None:
    async def story() -> None:
        life = Life()
        await circle.go_round(created(life))
        late, bad = circle.queue(created(Life("late")), created(Life("bad")))
        spoilt = circle.queue(forged(life.update()))
        cut = circle.cut([late, bad, *spoilt, *circle.queue(created(Life("good")))])
        await circle.write(cut, deferred=[late.id], refused={bad.id: "no good"})
        await circle.anchor(cut)
        await circle.publish()
        assert [outcome.error for outcome in circle.observe()] == [None]
        found = circle.database.read(maybe_batch, cut.id)
        assert found is not None
        assert (found.operations, found.deferred, found.refused, found.stored, found.unfit) == (4, 1, 1, 1, 1)

    run(story())


def test_why_an_anchor_cannot_be_observed_is_told_until_it_was(circle: Circle) -> None:
    async def story() -> None:
        cut = circle.cut(circle.queue(created(Life())))
        await circle.write(cut)
        await circle.anchor(cut)
        linkset = seen(circle).linkset
        assert linkset is not None
        circle.database.do(note_trouble, linkset, "its storage is away")
        assert (seen(circle).state, seen(circle).trouble) == ("published", "its storage is away")
        await circle.publish()
        circle.observe()
        assert (seen(circle).state, seen(circle).trouble) == ("observed", None)

    run(story())


def test_a_batch_with_nothing_to_anchor_is_empty(quick: Circle) -> None:
    async def story() -> None:
        cut = quick.cut(quick.queue(created(Life())))
        await cut.record_files({}, refused={cut.operations[0].id: "no good"})
        await cut.ack()
        assert (seen(quick).state, seen(quick).refused) == ("empty", 1)

    run(story())


def test_the_newest_come_first_and_no_more_than_asked_for(quick: Circle) -> None:
    numbers = [quick.cut(quick.queue(created(Life(name)))).id for name in "abc"]
    found = quick.database.read(batches_in_progress, 2)
    assert [each.id for each in found] == [*reversed(numbers)][:2]
    assert quick.database.read(maybe_batch, 4711) is None


def test_a_batch_that_an_older_penstock_has_cut_is_counted_by_its_list(quick: Circle) -> None:
    cut = quick.cut(quick.queue(created(Life()), created(Life("bob"))))
    quick.database.do(
        lambda connection: connection.execute(update(cuts).where(cuts.c.id == cut.id).values(size=None))
    )
    assert seen(quick).operations == 2
