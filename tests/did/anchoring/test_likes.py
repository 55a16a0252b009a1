from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from penstock.did.activities import PUBLIC, Activity, AnchorEvent, follow, like, liked, undo, unlike
from penstock.did.anchoring.links import copies_of, put_pending
from penstock.did.cas import HashLink
from penstock.errors import BadActivity, NotConnected
from penstock.sidetree.canonical import canonical
from tests.did.anchoring.helpers import A, B, C, run

if TYPE_CHECKING:
    from typing import Any

    from tests.did.anchoring.helpers import Domain

LINK = HashLink.of(b"a linkset", ["https://a.example/cas/x"])
COPY = HashLink.of(b"a linkset", ["https://b.example/cas/x"])


def liking(copy: HashLink | None = COPY) -> dict[str, Any]:
    return like(
        name=f"{B.service}/1",
        actor=B.service,
        to=[A.service],
        liked=AnchorEvent(url=LINK),
        copy=None if copy is None else AnchorEvent(url=copy),
        at=1.0,
    )


def told(document: dict[str, Any]) -> Activity:
    return Activity.parse(canonical(document))


def test_a_like_tells_who_told_of_the_anchor_and_its_author(witness: Domain) -> None:
    run(witness.anchoring.likes.like(LINK, COPY, [C.service, A.service, C.service, B.service, ""]))
    run(witness.anchoring.likes.like(LINK, COPY, [C.service, A.service]))
    (sent,) = witness.post.told("Like")
    event, copy = liked(sent)
    assert sent.to == (C.service, A.service, PUBLIC)
    assert copy is not None
    assert (event.url, copy.url) == (LINK, COPY)


def test_ones_own_anchor_is_not_liked(author: Domain) -> None:
    run(author.anchoring.likes.like(LINK, LINK, [A.service]))
    assert author.post.count == 0


def test_a_like_that_cannot_be_posted_now_is_whoever_observed_its_to_post_again(witness: Domain) -> None:
    witness.post.is_away = True
    with pytest.raises(NotConnected):
        run(witness.anchoring.likes.like(LINK, COPY, [A.service]))
    witness.post.is_away = False
    run(witness.anchoring.likes.like(LINK, COPY, [A.service]))
    assert len(witness.post.told("Like")) == 1


def test_a_like_that_can_never_be_posted_is_only_logged(
    witness: Domain, caplog: pytest.LogCaptureFixture
) -> None:
    witness.post.is_away, witness.post.error = True, BadActivity("to", "nobody lives there")
    run(witness.anchoring.likes.like(LINK, COPY, [A.service]))
    assert LINK.bare in caplog.text


def test_a_liked_anchor_has_a_copy_there_until_the_like_is_undone(author: Domain) -> None:
    author.database.do(put_pending, LINK, 1.0)
    run(author.anchoring.likes.handle_like(told(liking())))
    run(author.anchoring.likes.handle_like(told(liking(None))))
    assert author.database.do(copies_of, LINK.hash) == [str(COPY)]
    undone = unlike(name=f"{B.service}/2", actor=B.service, undone=liking())
    run(author.anchoring.likes.handle_undo(told(undone)))
    assert author.database.do(copies_of, LINK.hash) == []


def test_likes_of_what_is_not_known_are_not_kept(author: Domain) -> None:
    run(author.anchoring.likes.handle_like(told(liking())))
    assert author.database.do(copies_of, LINK.hash) == []


def test_a_copy_of_something_else_is_refused(author: Domain) -> None:
    with pytest.raises(BadActivity, match="copy of another"):
        run(author.anchoring.likes.handle_like(told(liking(HashLink.of(b"other")))))


def test_another_undo_is_somebody_elses_business(author: Domain) -> None:
    asked = follow(name=f"{B.service}/1", actor=B.service, target=A.service)
    run(author.anchoring.likes.handle_undo(told(undo(name=f"{B.service}/2", actor=B.service, undone=asked))))
