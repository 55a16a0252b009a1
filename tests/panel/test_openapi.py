"""The OpenAPI document: of one piece with the routes, and held against the panel that answers."""

from __future__ import annotations

import asyncio
import json
import re
from typing import TYPE_CHECKING, Any

import msgspec

from penstock.panel.application import TABLES
from penstock.panel.openapi import document
from penstock.panel.replies import json_reply
from penstock.panel.routes import PUBLIC, Route, Routes
from tests.panel.asgi import opened

if TYPE_CHECKING:
    from penstock.panel.replies import Reply
    from penstock.panel.visit import Visit

TABLE = Routes(TABLES).table
DOCUMENT: dict[str, Any] = json.loads(msgspec.json.encode(document(TABLE)))
OPERATIONS = [
    (path, verb, operation) for path, verbs in DOCUMENT["paths"].items() for verb, operation in verbs.items()
]


class Paint(msgspec.Struct):
    """What to paint."""

    colour: str
    coats: int = 1


async def paint(visit: Visit, name: str) -> Reply:
    return json_reply({})


def test_a_route_becomes_an_operation() -> None:
    route = Route(paint, "Paint a door", "policymaker", body=Paint, query={"limit": int}, reply=list[Paint])
    told = document({("POST", "/api/doors/{name}"): route})
    operation = told["paths"]["/api/doors/{name}"]["post"]
    assert (operation["operationId"], operation["summary"]) == ("post_doors_name", "Paint a door")
    assert [(each["name"], each["in"]) for each in operation["parameters"]] == [
        ("name", "path"),
        ("limit", "query"),
    ]
    body = operation["requestBody"]["content"]["application/json"]["schema"]
    assert body == {"$ref": "#/components/schemas/Paint"}
    answer = operation["responses"]["200"]["content"]["application/json"]["schema"]
    assert answer == {"type": "array", "items": {"$ref": "#/components/schemas/Paint"}}
    assert "policymaker" in operation["description"]
    assert told["components"]["schemas"]["Paint"]["required"] == ["colour"]


def test_what_is_public_needs_no_login() -> None:
    told = document({("POST", "/login"): Route(paint, "Log in", PUBLIC)})
    assert told["paths"]["/login"]["post"]["security"] == []


def test_every_route_of_the_api_is_in_it_and_no_page_is() -> None:
    api = {key for key in TABLE if key[1].startswith(("/api/", "/metrics", "/logout"))}
    assert {(verb.upper(), path) for path, verb, _ in OPERATIONS} == api | {("POST", "/login")}


def test_every_operation_has_a_name_of_its_own_and_a_sentence() -> None:
    names = [operation["operationId"] for _, _, operation in OPERATIONS]
    assert len(set(names)) == len(names)
    assert all(re.fullmatch(r"\w+", name) for name in names)
    assert all(operation["summary"].endswith(".") for _, _, operation in OPERATIONS)


def test_every_name_in_a_path_is_a_parameter() -> None:
    for path, _, operation in OPERATIONS:
        named = {each["name"] for each in operation["parameters"] if each["in"] == "path"}
        assert named == set(re.findall(r"{(\w+)}", path))


def test_the_panel_serves_it() -> None:
    async def story() -> None:
        async with opened() as guest:
            answer = await guest.get("/api/openapi.json")
            assert answer.json == json.loads(msgspec.json.encode(document(guest.panel.routes.table)))

    asyncio.run(story())


def test_metrics_are_text_and_a_login_says_what_it_takes() -> None:
    metrics = DOCUMENT["paths"]["/metrics"]["get"]["responses"]["200"]["content"]
    assert [kind.partition(";")[0] for kind in metrics] == ["text/plain"]
    body = DOCUMENT["paths"]["/login"]["post"]["requestBody"]
    assert body["required"]
    assert set(body["content"]) == {"application/json", "application/x-www-form-urlencoded"}
    assert body["content"]["application/json"]["schema"]["$ref"].endswith("/Credentials")


def test_every_question_says_what_it_is_answered_with() -> None:
    untold = [
        path
        for path, verb, operation in OPERATIONS
        if verb == "get"
        and operation["responses"]["200"]["content"].get("application/json", {"schema": 1})["schema"] == {}
    ]
    # What there is none of is always 404.
    assert [path for path in untold if TABLE["GET", path].summary != "There is none."] == []
