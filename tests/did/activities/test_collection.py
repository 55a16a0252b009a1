from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.did.activities.collection import Collection, Paging
from penstock.errors import BadActivity
from penstock.sidetree.canonical import canonical

AT = "https://a.example/services/orb/followers"


def test_a_collection_says_where_its_pages_are() -> None:
    assert Paging(name=AT, total=7, size=3, ordered=False).document() == {
        "@context": "https://www.w3.org/ns/activitystreams",
        "id": AT,
        "type": "Collection",
        "totalItems": 7,
        "first": f"{AT}?page=true",
        "last": f"{AT}?page=true&page-num=2",
    }


def test_a_page_has_its_entries_and_its_neighbours() -> None:
    paging = Paging(name=AT, total=7, size=3)
    assert paging.page(1, ["d", "e", "f"]) == {
        "@context": "https://www.w3.org/ns/activitystreams",
        "id": f"{AT}?page=true&page-num=1",
        "type": "OrderedCollectionPage",
        "partOf": AT,
        "totalItems": 7,
        "next": f"{AT}?page=true&page-num=2",
        "prev": f"{AT}?page=true&page-num=0",
        "orderedItems": ["d", "e", "f"],
    }
    assert "prev" not in paging.page(paging.first, [])
    assert "next" not in paging.page(2, [])


def test_newest_first_begins_with_the_highest_page_and_full_pages_stay() -> None:
    before = Paging(name=AT, total=7, size=3, newest_first=True)
    after = Paging(name=AT, total=8, size=3, newest_first=True)
    assert [list(before.span(number)) for number in (2, 1, 0)] == [[6], [5, 4, 3], [2, 1, 0]]
    assert list(after.span(1)) == list(before.span(1))
    assert before.page(before.first, [])["id"].endswith("page-num=2")
    assert before.page(2, [])["next"].endswith("page-num=1")
    assert before.document()["last"].endswith("page-num=0")


def test_an_empty_collection_has_an_empty_page() -> None:
    paging = Paging(name=AT, total=0)
    assert paging.page(paging.first, [])["orderedItems"] == []
    assert list(paging.span(0)) == []
    assert paging.document()["last"] == f"{AT}?page=true&page-num=0"


@pytest.mark.parametrize("number", [-1, 3, 10**9])
def test_a_page_that_is_not_there_is_empty(number: int) -> None:
    assert list(Paging(name=AT, total=7, size=3).span(number)) == []


@given(st.integers(0, 100), st.integers(1, 12), st.booleans(), st.booleans())
def test_whoever_follows_the_pages_sees_every_entry_once(
    total: int,
    size: int,
    ordered: bool,  # noqa: FBT001  drawn
    newest_first: bool,  # noqa: FBT001  drawn
) -> None:
    paging = Paging(name=AT, total=total, size=size, ordered=ordered, newest_first=newest_first)

    def fetched(url: str) -> Collection:
        number = int(url.partition("page-num=")[2]) if "page-num=" in url else paging.first
        return Collection.parse(canonical(paging.page(number, list(paging.span(number)))))

    start = Collection.parse(canonical(paging.document()))
    seen: list[Any] = []
    url = start.first
    while url:
        page = fetched(url)
        seen += page.entries
        url = page.next
    expected = list(range(total))
    assert seen == (expected[::-1] if newest_first else expected)
    assert start.total == page.total == total


def test_entries_may_stand_in_the_collection_itself() -> None:
    found = Collection.parse(b'{"type":"Collection","items":["a",{"id":"b"}]}')
    assert found == Collection(total=2, entries=("a", {"id": "b"}))


@pytest.mark.parametrize(
    ("data", "rule"),
    [
        (b"{}", "no-type"),
        (b'{"type":"Note"}', "type"),
        (b'{"type":"Collection","items":"a"}', "bad-items"),
        (b'{"type":"Collection","totalItems":-1}', "bad-totalItems"),
        (b'{"type":"Collection","first":7}', "bad-first"),
    ],
)
def test_what_is_no_collection_is_refused_with_its_rule(data: bytes, rule: str) -> None:
    with pytest.raises(BadActivity) as caught:
        Collection.parse(data)
    assert caught.value.rule == rule
