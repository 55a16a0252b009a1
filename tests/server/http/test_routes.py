from __future__ import annotations

from pathlib import Path

import pytest

from penstock.server.http import publishing, readers
from penstock.server.http.replies import HttpFault
from penstock.server.http.routes import ROUTES, TABLE_MOST, Handler, find


@pytest.mark.parametrize(
    ("verb", "path", "handler", "names"),
    [
        ("PUT", "api readers / q r", readers.put_reader, ["/", "q", "r"]),
        ("GET", "api readers v q r range", readers.read_range, ["v", "q", "r"]),
        ("POST", "api readers v q r commit", readers.commit, ["v", "q", "r"]),
        ("POST", "api publish v", publishing.publish, ["v"]),
    ],
)
def test_a_path_leads_to_its_verb(verb: str, path: str, handler: Handler, names: list[str]) -> None:
    route, found = find(verb, tuple(path.split()))
    assert (route.handler, found) == (handler, names)


def test_only_tables_are_large() -> None:
    large = [path for path, route in ROUTES.items() if route.body_most == TABLE_MOST]
    assert large == [("POST", "/api/publish/{vhost}")]


@pytest.mark.parametrize("path", ["", "api", "api readers v q", "api readers v q r take more", "api publish"])
def test_other_paths_lead_nowhere(path: str) -> None:
    with pytest.raises(HttpFault, match="there is nothing at /") as caught:
        find("GET", tuple(path.split()))
    assert caught.value.status == 404


def test_a_name_is_never_empty() -> None:
    with pytest.raises(HttpFault, match="there is nothing"):
        find("POST", ("api", "publish", ""))


def test_another_verb_is_told_which_there_are() -> None:
    with pytest.raises(HttpFault, match="this path takes POST, not GET") as caught:
        find("GET", ("api", "publish", "v"))
    assert (caught.value.status, caught.value.more) == (405, {"headers": (("Allow", "POST"),)})


def test_every_route_is_in_the_reference() -> None:
    page = (Path(__file__).parents[3] / "docs" / "reference" / "http.md").read_text()
    assert [route for route in ROUTES if f"`{' '.join(route)}" not in page] == []
