from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from penstock.panel.api.listing import listed, one
from penstock.panel.api.slices import SLICE
from penstock.panel.replies import ApiFault
from penstock.panel.visit import NOBODY, Visit
from tests.panel.asgi import Answer

if TYPE_CHECKING:
    from tests.panel.house import House

ROWS: list[dict[str, Any]] = [
    {"name": "b", "n": 2, "deep": {"rate": 0.5, "more": 1}},
    {"name": "a", "n": None, "deep": {"rate": 1.5}},
    {"name": "B1", "n": "text"},
]


def ask(house: House, query: dict[str, str], **how: Any) -> Any:
    visit = Visit(panel=house.asker.panel, user=NOBODY, query=query)
    reply = house.run(listed(visit, ROWS, dict, name=lambda row: row["name"], **how))
    return Answer(reply.status, [], reply.body).json


def names(house: House, query: dict[str, str], **how: Any) -> list[str]:
    return [row["name"] for row in ask(house, query, **how)]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ({}, ["B1", "a", "b"]),
        ({"name": "b"}, ["B1", "b"]),
        ({"name": "^b", "use_regex": "true"}, ["b"]),
        ({"sort": "n"}, ["a", "b", "B1"]),
        ({"sort": "n", "sort_reverse": "true"}, ["B1", "b", "a"]),
        ({"sort": "deep.rate"}, ["B1", "b", "a"]),
        ({"sort": "name"}, ["B1", "a", "b"]),
    ],
)
def test_rows_are_filtered_and_sorted(house: House, query: dict[str, str], expected: list[str]) -> None:
    assert names(house, query) == expected


def test_what_can_be_sorted_before_there_are_rows_is(house: House) -> None:
    made = []

    def row(thing: dict[str, Any]) -> dict[str, Any]:
        made.append(thing["name"])
        return thing

    visit = Visit(panel=house.asker.panel, user=NOBODY, query={"sort": "n", "page": "1", "page_size": "1"})
    house.run(
        listed(visit, ROWS, row, name=lambda thing: thing["name"], keys={"n": lambda thing: thing["n"]})
    )
    assert made == ["a"]


def test_columns_are_cut_out_however_deep(house: House) -> None:
    assert ask(house, {"columns": "name,deep.rate", "name": "a"}) == [{"name": "a", "deep": {"rate": 1.5}}]
    assert ask(house, {"columns": "none", "name": "a"}) == [{}]


def test_one_thing_has_the_columns_that_are_asked_for_too(house: House) -> None:
    visit = Visit(panel=house.asker.panel, user=NOBODY, query={"columns": "n,deep.more"})
    assert one(visit, ROWS[0]).body == b'{"n":2,"deep":{"more":1}}'
    assert house.get("/overview?columns=object_totals.queues") == {"object_totals": {"queues": 0}}


def test_a_page_says_which_it_is(house: House) -> None:
    page = ask(house, {"page": "2", "page_size": "2", "columns": "name"})
    assert page == {
        "items": [{"name": "b"}],
        "total_count": 3,
        "filtered_count": 3,
        "item_count": 1,
        "page": 2,
        "page_size": 2,
        "page_count": 2,
    }
    assert ask(house, {"page": "1", "name": "nobody"})["page_count"] == 0


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        ({"page": "3", "page_size": "2"}, "page out of range"),
        ({"page": "0"}, "page out of range"),
        ({"page": "1", "page_size": "501"}, "1 to 500 rows"),
        ({"page": "one"}, "page is no whole number"),
        ({"name": "(", "use_regex": "true"}, "cannot be read"),
        ({"name": "(a*)*b", "use_regex": "true"}, "could take too long"),
    ],
)
def test_a_query_that_cannot_be_is_refused(house: House, query: dict[str, str], reason: str) -> None:
    with pytest.raises(ApiFault, match=reason) as caught:
        ask(house, query)
    assert caught.value.status == 400


def test_others_have_their_turn_while_a_long_list_is_made(house: House) -> None:
    turns = []

    async def story() -> None:
        visit = Visit(panel=house.asker.panel, user=NOBODY)
        making = asyncio.create_task(listed(visit, ROWS * SLICE, dict))
        while not making.done():
            turns.append(1)
            await asyncio.sleep(0)

    house.run(story())
    assert len(turns) >= 3
