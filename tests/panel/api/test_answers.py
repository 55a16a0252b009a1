"""What the document says of answers is what is answered: every field, and of its kind."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from penstock.panel.api import policies
from penstock.panel.api.answers import ANSWERS
from penstock.panel.api.routes import ROUTES
from penstock.wire.amqp.methods import BasicConsume, BasicConsumeOk
from tests.panel.house import House

if TYPE_CHECKING:
    from collections.abc import Iterator

#: What stands in a path's braces, in the house below; what is not here is "/".
NAMES = {
    "name": "q",
    "user": "guest",
    "source": "amq.topic",
    "kind": "q",
    "destination": "q",
    "properties_key": "k.%23",
    "component": "vhost-limits",
    "exchange": "amq.topic",
    "port": "5672",
    "protocol": "amqp",
    "within": "1",
    "unit": "days",
    "node": "n",
}
PAST = "lengths_age=10&lengths_incr=5&msg_rates_age=10&msg_rates_incr=5&data_rates_age=10&data_rates_incr=5"


@pytest.fixture(scope="module")
def house() -> Iterator[House]:
    """A broker with something of everything."""
    with House() as house:
        house.put("/queues/%2F/q", {"arguments": {"x-max-length": 9}})
        house.put("/exchanges/%2F/e", {"type": "fanout"})
        house.post("/bindings/%2F/e/amq.topic/q/q", {"routing_key": "k.#"})
        house.publish("q", "one", "two", "three", "four", headers={"region": "eu"})
        house.put("/topic-permissions/%2F/guest", {"exchange": "amq.topic", "write": ".*", "read": ".*"})
        house.put("/vhost-limits/%2F/max-queues", {"value": 9})
        house.put("/vhosts/%2F", {"description": "all of it", "tags": "a,b"})
        house.put("/queues/%2F/busy")
        house.publish("busy", "taken")
        client = house.client()
        house.run(client.ask(BasicConsumeOk, BasicConsume("busy", "tag", arguments={"x-priority": 1})))
        yield house


def path_to(house: House, path: str) -> str:
    """The path of something that is there."""
    named = dict(NAMES)
    if path.startswith("/api/exchanges/"):
        named["name"] = "e"
    for noun in ("connections", "channels", "nodes"):
        if path.startswith(f"/api/{noun}/{{name}}"):
            named["name"] = house.get(f"/{noun}")[0]["name"]
    filled = re.sub(r"{(\w+)}", lambda found: named.get(found[1], "%2F"), path)
    return filled.removeprefix("/api")


def answered(house: House, path: str) -> Any:
    answer = house.ask("GET", path)
    assert answer.status in {200, 503}, (path, answer.body)
    return answer.json


@pytest.mark.parametrize("path", [path for (verb, path), route in ROUTES.items() if verb == "GET"])
def test_all_that_is_answered_is_told_of(house: House, path: str) -> None:
    route = ROUTES["GET", path]
    if route.handler is policies.find_none:
        return
    found = answered(house, f"{path_to(house, path)}?{PAST}")
    # What a type does not name is left out of it.
    assert msgspec.convert(found, route.reply) == found
    if "page" in route.query:
        page = answered(house, f"{path_to(house, path)}?page=1")
        assert msgspec.convert(page, route.reply) == page


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/api/queues/{vhost}/{name}/get", {"count": 2}),
        ("/api/exchanges/{vhost}/{name}/publish", {"routing_key": "q", "payload": "five"}),
        ("/api/penstock/queues/{vhost}/{name}/move", {"to": "busy", "count": 1}),
    ],
)
def test_so_is_what_answers_to_an_order(house: House, path: str, body: dict[str, Any]) -> None:
    found = house.post(path_to(house, path), body)
    assert msgspec.convert(found, ROUTES["POST", path].reply) == found


def test_every_question_of_the_api_says_what_it_is_answered_with() -> None:
    untold = {path for (verb, path), route in ROUTES.items() if verb == "GET" and route.reply is None}
    refused = {path for (_, path), route in ROUTES.items() if route.handler is policies.find_none}
    assert untold <= refused


def test_no_handler_is_told_of_that_no_path_leads_to() -> None:
    assert set(ANSWERS) <= {route.handler for route in ROUTES.values()}


def test_a_list_can_be_asked_for_in_all_the_ways_that_are_understood() -> None:
    query = ROUTES["GET", "/api/queues"].query
    assert {"name", "use_regex", "sort", "sort_reverse", "columns", "page", "page_size"} <= set(query)
    assert {"if-unused", "if-empty"} == set(ROUTES["DELETE", "/api/queues/{vhost}/{name}"].query)
    peek = ROUTES["GET", "/api/penstock/queues/{vhost}/{name}/peek"].query
    assert set(peek) == {"position", "count", "filter", "truncate", "state"}
