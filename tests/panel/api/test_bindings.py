from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.panel.house import House

BETWEEN = "/bindings/%2F/e/amq.topic/q/q"


@pytest.fixture
def bound(house: House) -> House:
    house.put("/queues/%2F/q")
    house.post(BETWEEN, {"routing_key": "a b/#"})
    house.post(BETWEEN, {"routing_key": "k", "arguments": {"x": 1}})
    return house


def test_bindings_are_listed_from_every_side(bound: House) -> None:
    between = bound.get(BETWEEN)
    assert [each["routing_key"] for each in between] == ["a b/#", "k"]
    own = {"source": "", "destination": "q", "routing_key": "q", "properties_key": "q"}
    to_queue = bound.get("/queues/%2F/q/bindings")
    assert own.items() <= to_queue[0].items()
    assert to_queue[1:] == between
    assert bound.get("/bindings") == bound.get("/bindings/%2F") == to_queue
    assert bound.get("/exchanges/%2F/amq.topic/bindings/source") == between
    assert bound.get("/exchanges/%2F/amq.default/bindings/source") == to_queue[:1]


def test_a_binding_is_where_its_making_said_it_would_be(house: House) -> None:
    house.put("/queues/%2F/q")
    answer = house.ask("POST", BETWEEN, {"routing_key": "a b", "arguments": {"x": 1}})
    assert answer.status == 201
    where = answer.header("location").removeprefix("../../../..")
    [found] = house.get(BETWEEN)
    assert house.get(f"/bindings{where}") == found
    assert house.delete(f"/bindings{where}") == 204
    assert house.get(BETWEEN) == []


def test_bindings_with_the_same_key_are_told_apart_by_their_arguments(bound: House) -> None:
    bound.post(BETWEEN, {"routing_key": "k", "arguments": {"x": 2}})
    keys = [each["properties_key"] for each in bound.get(BETWEEN)]
    assert len(set(keys)) == 3
    assert bound.delete(f"{BETWEEN}/{keys[-1]}") == 204
    assert [each["arguments"] for each in bound.get(BETWEEN)] == [{}, {"x": 1}]


def test_an_empty_key_is_written_as_a_tilde(house: House) -> None:
    house.put("/queues/%2F/q")
    house.post("/bindings/%2F/e/amq.fanout/q/q", {})
    assert house.delete("/bindings/%2F/e/amq.fanout/q/q/~") == 204
    assert house.get("/bindings/%2F/e/amq.fanout/q/q") == []


def test_exchanges_are_bound_to_exchanges(house: House) -> None:
    house.put("/exchanges/%2F/e", {"type": "topic"})
    house.post("/bindings/%2F/e/amq.topic/e/e", {"routing_key": "#"})
    [found] = house.get("/exchanges/%2F/e/bindings/destination")
    assert (found["source"], found["destination_type"]) == ("amq.topic", "exchange")
    assert house.delete("/bindings/%2F/e/amq.topic/e/e/%2523") == 204
    assert house.get("/bindings/%2F/e/amq.topic/e/e") == []


def test_a_selector_is_told_with_the_binding_it_stands_on(house: House) -> None:
    house.put("/queues/%2F/q")
    statement = {"x-filter-jms-selector": "region = 'eu'"}
    house.post(BETWEEN, {"routing_key": "#", "arguments": statement})
    [found] = house.get(BETWEEN)
    assert (found["destination"], found["arguments"]) == ("q", statement)
    assert [each["name"] for each in house.get("/exchanges/%2F") if "selector" in each["name"]] == []


@pytest.mark.parametrize(
    ("verb", "target", "status", "reason"),
    [
        ("POST", "/bindings/%2F/e/nowhere/q/q", 404, "no exchange 'nowhere'"),
        ("POST", "/bindings/%2F/e/amq.topic/q/none", 404, "no queue 'none'"),
        ("POST", "/bindings/%2F/e/amq.default/q/q", 403, "not permitted on the default exchange"),
        ("POST", "/bindings/%2F/e/amq.topic/z/q", 404, "a queue (q) or an exchange (e)"),
        ("GET", f"{BETWEEN}/none", 404, "there is no binding 'none'"),
        ("DELETE", f"{BETWEEN}/none", 404, "there is no binding 'none'"),
        ("GET", "/queues/%2F/none/bindings", 404, "there is no queue 'none'"),
        ("GET", "/exchanges/%2F/none/bindings/source", 404, "there is no exchange 'none'"),
    ],
)
def test_what_is_not_there_is_said(bound: House, verb: str, target: str, status: int, reason: str) -> None:
    answer = bound.ask(verb, target, {})
    assert (answer.status, reason in answer.json["reason"]) == (status, True), answer.body
