from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.did.anchoring.links import put_copy, put_pending
from penstock.did.anchoring.noting import note_trouble
from penstock.did.batches.anchors import KnownAnchor, known_anchors
from penstock.did.cas import HashLink
from tests.did.anchoring.helpers import B
from tests.did.batches.circle import created
from tests.did.observing.helpers import forged
from tests.did.operation_queue.helpers import run
from tests.sidetree.lives import NOW, Life

if TYPE_CHECKING:
    from tests.did.batches.circle import Circle


def seen(circle: Circle) -> list[KnownAnchor]:
    return circle.database.read(known_anchors, 10)


def test_an_anchor_of_our_own_is_told_of_from_its_witnesses_to_its_operations(circle: Circle) -> None:
    async def story() -> None:
        # Another domain is to witness it, and has not answered.
        cut = circle.cut(circle.queue(Life().create(origin=B.base)))
        await circle.write(cut)
        assert seen(circle) == []
        await circle.anchor(cut)
        (found,) = seen(circle)
        assert (found.state, found.batch, found.anchor) == ("witnessing", cut.id, cut.anchor)

    run(story())


def test_what_was_observed_is_told_with_what_came_of_it(circle: Circle) -> None:
    async def story() -> None:
        life = Life()
        first = await circle.go_round(created(life))
        second = circle.cut(circle.queue(forged(life.update()), created(Life("bob"))))
        await circle.write(second)
        await circle.anchor(second)
        await circle.publish()
        assert [each.state for each in seen(circle)] == ["told", "observed"]
        circle.observe()
        newest, oldest = seen(circle)
        assert (newest.batch, newest.stored, newest.unfit, oldest.batch) == (second.id, 1, 1, first.id)
        assert "signature" in newest.reason
        assert newest.url == f"https://a.example/cas/{newest.linkset}"
        assert len(circle.database.read(known_anchors, 1)) == 1

    run(story())


def test_of_others_anchors_it_is_told_where_they_are_and_who_has_copies(circle: Circle) -> None:
    link = HashLink.of(b"theirs", ["https://b.example/cas/theirs"])
    circle.database.do(put_pending, link, NOW)
    for owner in ("https://b.example", "https://c.example"):
        circle.database.do(put_copy, owner, link)
    assert seen(circle) == [
        KnownAnchor(state="pending", updated_at=NOW, linkset=link.hash, url=link.links[0], copies=2)
    ]


def test_what_could_not_be_observed_says_why(circle: Circle) -> None:
    async def story() -> None:
        cut = circle.cut(circle.queue(created(Life())))
        await circle.write(cut)
        await circle.anchor(cut)
        await circle.publish()
        (found,) = seen(circle)
        assert found.linkset is not None
        circle.database.do(note_trouble, found.linkset, "its files are nowhere")
        assert seen(circle)[0].reason == "its files are nowhere"

    run(story())
