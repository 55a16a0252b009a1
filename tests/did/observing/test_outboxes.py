from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from penstock.did.activities import PUBLIC, AnchorEvent, announce, create
from penstock.did.cas import HashLink
from penstock.did.observing.outboxes import anchors_told_by, told_in
from penstock.errors import BadActivity, ContentNotFound

if TYPE_CHECKING:
    from collections.abc import Callable

SERVICE = "https://a.example/services/orb"
LINKS = [HashLink.of(b"%d" % number, ["https://a.example/x"]) for number in range(3)]
EVENTS = [AnchorEvent(url=link) for link in LINKS]
CREATED = create(name="https://a/1", actor=SERVICE, to=[PUBLIC], event=EVENTS[0], at=1.0)
ANNOUNCED = announce(name="https://a/2", actor=SERVICE, to=[PUBLIC], events=EVENTS, at=1.0)


def outbox(**pages: Any) -> Callable[..., bytes]:
    """A collection whose pages are these, by what their URLs end with."""

    def fetch(url: str, *, limit: int, accept: str) -> bytes:
        if (name := url.rpartition("/")[2]) not in pages:
            raise ContentNotFound(f"{url} answers 404")
        return msgspec.json.encode(pages[name])

    return fetch


def collection(first: str) -> dict[str, Any]:
    return {"type": "OrderedCollection", "totalItems": 9, "first": f"{SERVICE}/{first}"}


def page(*entries: Any, after: str = "") -> dict[str, Any]:
    found = {"type": "OrderedCollectionPage", "totalItems": 9, "orderedItems": list(entries)}
    return {**found, "next": f"{SERVICE}/{after}"} if after else found


def test_all_anchors_of_all_pages_are_told_once() -> None:
    bad = {**CREATED, "object": {"type": "AnchorEvent", "url": "nowhere"}}
    like = {**CREATED, "type": "Like"}
    fetch = outbox(
        outbox=collection("p1"), p1=page(CREATED, like, bad, 7, after="p2"), p2=page(ANNOUNCED, after="p1")
    )
    found = list(anchors_told_by(SERVICE, fetch))
    assert [each.hash_link for each in found] == [str(link) for link in LINKS]
    assert {each.attributed_to for each in found} == {SERVICE}


def test_of_each_activity_is_told_when_it_was_and_what_it_tells_of() -> None:
    like = {name: value for name, value in CREATED.items() if name != "published"} | {"type": "Like"}
    entries = [{**CREATED, "published": "1970-01-01T00:01:00Z"}, like, 7, ANNOUNCED]
    found = told_in(f"{SERVICE}/elsewhere", SERVICE, outbox(elsewhere=page(*entries)))
    assert [(each.name, each.at, len(each.anchors)) for each in found] == [
        ("https://a/1", 60.0, 1),
        ("https://a/1", 0.0, 0),
        ("https://a/2", 1.0, 3),
    ]


@pytest.mark.parametrize("pages", [{}, {"outbox": {"type": "Note"}}, {"outbox": collection("p1")}])
def test_an_outbox_that_cannot_be_read_to_its_end_is_an_error(pages: dict[str, Any]) -> None:
    with pytest.raises(BadActivity):
        list(anchors_told_by(SERVICE, outbox(**pages)))
