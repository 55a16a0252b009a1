from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from penstock.panel.application import TABLES
from penstock.panel.replies import DONE, ApiFault, Reply
from penstock.panel.routes import ADMINISTRATOR, MANAGEMENT, Route, Routes
from tests.panel.house import House

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.panel.visit import Visit


async def handler(visit: Visit, **names: str) -> Reply:
    return DONE


GENERAL, EXACT, DEEP = Route(handler, "a"), Route(handler, "b"), Route(handler, "c")
ROUTES = Routes(
    [
        {("GET", "/things/{name}"): GENERAL, ("PUT", "/things/{name}"): GENERAL},
        {("GET", "/things/special"): EXACT, ("GET", "/things/{name}/{part}/end"): DEEP},
    ]
)


@pytest.mark.parametrize(
    ("verb", "path", "route", "names"),
    [
        ("GET", ("things", "a/b"), GENERAL, {"name": "a/b"}),
        ("HEAD", ("things", "x"), GENERAL, {"name": "x"}),
        ("GET", ("things", "special"), EXACT, {}),
        ("PUT", ("things", "special"), GENERAL, {"name": "special"}),
        ("GET", ("things", "special", "x", "end"), DEEP, {"name": "special", "part": "x"}),
    ],
)
def test_a_path_leads_to_the_route_that_says_most_exactly_what_it_is(
    verb: str, path: tuple[str, ...], route: Route, names: dict[str, str]
) -> None:
    found, said = ROUTES.find(verb, path)
    assert found is route
    assert said == names


@pytest.mark.parametrize("path", [("things",), ("things", ""), ("other",), ("things", "a", "b", "c"), ("",)])
def test_a_path_that_leads_nowhere_is_refused(path: tuple[str, ...]) -> None:
    with pytest.raises(ApiFault, match="there is nothing at") as caught:
        ROUTES.find("GET", path)
    assert caught.value.status == 404


def test_another_verb_is_refused_with_those_there_are() -> None:
    with pytest.raises(ApiFault, match="this path takes GET, PUT, not DELETE") as caught:
        ROUTES.find("DELETE", ("things", "special"))
    assert (caught.value.status, caught.value.headers) == (405, {"Allow": "GET, PUT"})


def test_every_route_says_what_it_is_for() -> None:
    table = Routes(TABLES).table
    assert [key for key, route in table.items() if not route.summary.endswith(".")] == []


@pytest.fixture(scope="module")
def house() -> Iterator[House]:
    with House() as house:
        house.user("nobody")
        house.user("manager", "management")
        yield house


def concrete(path: str) -> str:
    return "/".join("x" if part.startswith("{") else part for part in path.split("/")).removeprefix("/api")


def api() -> list[tuple[str, str, str]]:
    table = Routes(TABLES).table
    return [(verb, path, route.tag) for (verb, path), route in table.items() if path.startswith("/api/")]


@pytest.mark.parametrize(("verb", "path", "tag"), [each for each in api() if each[2]])
def test_nobody_goes_where_their_tags_do_not_let_them(house: House, verb: str, path: str, tag: str) -> None:
    assert house.ask(verb, concrete(path), user="nobody").status == 403
    strange = house.run(house.asker.ask(verb, f"/api{concrete(path)}", None, {"authorization": ""}))
    assert strange.status == 401
    if tag != MANAGEMENT:
        refused = house.ask(verb, concrete(path), user="manager")
        assert (refused.status, f"needs the tag {tag}" in refused.json["reason"]) == (403, True)


def test_only_administrators_change_users() -> None:
    changes = [
        each for each in api() if each[0] != "GET" and each[1].split("/")[2] in {"users", "permissions"}
    ]
    assert {tag for *_, tag in changes} == {ADMINISTRATOR}
