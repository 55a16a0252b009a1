from __future__ import annotations

import pytest

from penstock.did.activities.webfinger import Jrd, JrdLink, question_about
from penstock.errors import BadActivity
from penstock.sidetree.canonical import canonical

FULL = Jrd(
    subject="https://a.example",
    properties={"https://a.example/ns": 1},
    links=(
        JrdLink("self", "https://a.example/x", "application/ld+json"),
        JrdLink("alternate", "https://b.example/x"),
        JrdLink("self", template="https://a.example/{uri}"),
    ),
)


def test_an_answer_is_read_as_it_was_written() -> None:
    assert Jrd.read(canonical(FULL.document())) == FULL
    assert FULL.document()["links"][1] == {"rel": "alternate", "href": "https://b.example/x"}
    assert Jrd(subject="x").document() == {"subject": "x"}
    assert Jrd.read(b"{}") == Jrd()


def test_the_resource_itself_is_preferred_to_a_copy() -> None:
    assert FULL.target == "https://a.example/x"
    assert Jrd(links=FULL.links[1:]).target == "https://b.example/x"
    assert FULL.href("vct") == ""


def test_a_link_may_be_asked_for_by_its_type() -> None:
    assert FULL.href("self", "application/ld+json") == FULL.target
    assert FULL.href("self", "text/html") == ""


def test_a_resource_is_asked_about_with_nothing_that_a_query_would_take_for_its_own() -> None:
    found = question_about("https://a.example/cas/x?y&z", "https://a.example")
    there = "https://a.example/.well-known/webfinger"
    assert found == f"{there}?resource=https%3A%2F%2Fa.example%2Fcas%2Fx%3Fy%26z"


def test_an_answer_that_does_not_say_where_is_told() -> None:
    with pytest.raises(BadActivity) as caught:
        _ = Jrd(subject="x", links=[JrdLink("self", "")]).target
    assert caught.value.rule == "no-target"


@pytest.mark.parametrize(
    "data", [b"", b"[]", b'{"links":[7]}', b'{"links":[{}]}', b'{"properties":7}', b'{"subject":7}']
)
def test_what_is_no_answer_is_refused(data: bytes) -> None:
    with pytest.raises(BadActivity):
        Jrd.read(data)
