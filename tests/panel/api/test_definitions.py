from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.panel.house import House

#: What the management plugin of RabbitMQ 3.10.8 has exported.
EXPORTED = json.loads((Path(__file__).parent / "exported.json").read_text())


def furnished(house: House) -> None:
    house.put("/vhosts/shop")
    house.put("/queues/shop/orders", {"arguments": {"x-max-length": 9}})
    house.put("/queues/shop/passing", {"durable": False})
    house.put("/exchanges/shop/events", {"type": "topic"})
    house.put("/exchanges/shop/all", {"type": "fanout"})
    house.post("/bindings/shop/e/events/q/orders", {"routing_key": "order.#", "arguments": {"a": 1}})
    house.post("/bindings/shop/e/events/q/passing", {"routing_key": "#"})
    house.post("/bindings/shop/e/events/e/all", {"routing_key": "#"})
    house.put("/users/eve", {"password": "eve", "tags": "management"})
    house.put("/permissions/shop/eve", {"configure": "", "write": "", "read": ".*"})
    house.put("/topic-permissions/shop/eve", {"exchange": "events", "write": "", "read": "^o"})
    house.put("/vhost-limits/shop/max-queues", {"value": 50})


def test_what_one_broker_exports_another_takes_over(house: House) -> None:
    furnished(house)
    exported = house.get("/definitions")
    assert [queue["name"] for queue in exported["queues"]] == ["orders", "passing"]
    assert len(exported["bindings"]) == 3
    with House() as other:
        assert other.ask("POST", "/definitions", exported).status == 204
        again = other.get("/definitions")
        assert again == exported
        assert other.get("/whoami", user="eve")["name"] == "eve"
        assert other.ask("POST", "/definitions", exported).status == 204


def test_a_virtual_host_is_taken_over_under_another_name(house: House) -> None:
    furnished(house)
    exported = house.get("/definitions/shop")
    house.put("/vhosts/copy")
    house.post("/definitions/copy", exported)
    assert house.get("/definitions/copy") == exported
    assert [queue["name"] for queue in house.get("/queues/copy")] == ["orders", "passing"]


def test_what_rabbitmq_exports_is_taken_over(house: House) -> None:
    assert house.ask("POST", "/definitions", EXPORTED).status == 204
    again = house.get("/definitions")
    for chapter in ("queues", "exchanges", "bindings", "vhosts", "permissions"):
        by = lambda entry: json.dumps(entry, sort_keys=True)
        theirs = [entry for entry in EXPORTED[chapter] if entry]
        assert sorted(theirs, key=by) == sorted(again[chapter], key=by), chapter
    hashes = {user["name"]: (user["password_hash"], user["hashing_algorithm"]) for user in again["users"]}
    for user in EXPORTED["users"]:
        if user["name"] in {"limited", "hashed-256", "hashed-512"}:
            assert hashes[user["name"]] == (user["password_hash"], user["hashing_algorithm"])


def test_it_is_there_after_a_restart(tmp_path: Path) -> None:
    with House(data=tmp_path) as house:
        furnished(house)
        house.delete("/queues/shop/passing")
        exported = house.get("/definitions")
    with House(data=tmp_path) as house:
        assert house.get("/definitions") == exported


def test_passwords_as_they_are_are_hashed(house: House) -> None:
    house.post("/definitions", {"users": [{"name": "bob", "password": "bob", "tags": ["management"]}]})
    assert house.get("/whoami", user="bob")["name"] == "bob"
    assert "scrypt" in house.get("/definitions")["users"][-1]["password_hash"]


@pytest.mark.parametrize(
    ("record", "status", "reason"),
    [
        ({"queues": 7}, 400, "queues is a list of objects"),
        ({"queues": [{"vhost": "/"}]}, 400, "queues, number 1: there is no 'name'"),
        ({"queues": [{"name": "q", "vhost": "none"}]}, 404, "there is no virtual host 'none'"),
        ({"queues": [{"name": "q", "vhost": "/", "arguments": 5}]}, 400, "arguments are an object"),
        ({"exchanges": [{"name": "e", "vhost": "/", "type": 5}]}, 400, "exchanges, number 1"),
        ({"users": [{"tags": []}]}, 400, "there is no 'name'"),
        ([], 400, "the body is not what is asked for"),
    ],
)
def test_what_cannot_be_is_refused(house: House, record: Any, status: int, reason: str) -> None:
    answer = house.ask("POST", "/definitions", record)
    assert (answer.status, reason in answer.json["reason"]) == (status, True), answer.body


def test_policies_are_passed_over_and_the_log_says_so(house: House, caplog: pytest.LogCaptureFixture) -> None:
    house.post("/definitions", {"policies": [{"name": "p", "vhost": "/", "pattern": "", "definition": {}}]})
    assert "policies are not taken over" in caplog.text
