from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from penstock.wire.amqp.methods import ConnectionClose
from tests.panel.house import House

if TYPE_CHECKING:
    from pathlib import Path


def test_a_virtual_host_is_made_used_and_deleted_with_all_that_is_in_it(house: House) -> None:
    assert [house.put("/vhosts/new", {"description": "x"}), house.put("/vhosts/new")] == [201, 204]
    assert house.get("/vhosts/new/permissions") == [
        {"user": "guest", "vhost": "new", "configure": ".*", "write": ".*", "read": ".*"}
    ]
    house.put("/queues/new/q")
    house.put("/exchanges/new/e", {"auto_delete": True})
    house.put("/exchanges/new/f")
    house.post("/bindings/new/e/e/e/f")
    client = house.client(vhost="new")
    assert house.delete("/vhosts/new") == 204
    assert [host["name"] for host in house.get("/vhosts")] == ["/"]
    assert house.run(client.hear(ConnectionClose)).reply_code == 320


def test_what_was_deleted_stays_so_after_a_restart(tmp_path: Path) -> None:
    with House(data=tmp_path) as house:
        for name in ("kept", "gone"):
            house.put(f"/vhosts/{name}")
            house.put(f"/queues/{name}/q")
            body = {"routing_key": "q", "payload": name, "properties": {"delivery_mode": 2}}
            house.post(f"/exchanges/{name}/amq.default/publish", body)
        house.delete("/vhosts/gone")
    with House(data=tmp_path) as house:
        assert [host["name"] for host in house.get("/vhosts")] == ["/", "kept"]
        assert house.get("/queues/kept/q")["messages"] == 1
        house.put("/vhosts/gone")
        assert house.get("/queues/gone") == []


def test_what_is_in_one_is_told(house: House) -> None:
    house.put("/queues/%2F/q")
    house.publish("q", "one", "two")
    shown = house.get("/vhosts/%2F")
    assert (shown["messages"], shown["messages_ready"], shown["message_stats"]["publish"]) == (2, 2, 2)


def test_what_is_noted_about_one_is_kept_until_something_else_is(tmp_path: Path) -> None:
    with House(data=tmp_path) as house:
        assert house.put("/vhosts/noted", {"description": "orders", "tags": "a, b"}) == 201
        assert house.put("/vhosts/noted", {"description": "all orders"}) == 204
        house.put("/vhost-limits/noted/max-queues", {"value": 9})
    with House(data=tmp_path) as house:
        shown = house.get("/vhosts/noted")
        about = {"description": "all orders", "tags": ["a", "b"]}
        assert (shown["description"], shown["tags"], shown["metadata"]) == (*about.values(), about)
        [told] = [each for each in house.get("/definitions")["vhosts"] if each["name"] == "noted"]
        assert told == {"name": "noted", **about, "metadata": about}
        house.delete("/vhosts/noted")
        house.post("/definitions", {"vhosts": [told]})
        assert house.get("/vhosts/noted")["metadata"] == about


def test_limits_are_set_and_lifted(house: House) -> None:
    house.put("/vhost-limits/%2F/max-queues", {"value": 1})
    house.put("/vhost-limits/%2F/max-connections", {"value": 5})
    expected = [{"vhost": "/", "value": {"max-queues": 1, "max-connections": 5}}]
    assert house.get("/vhost-limits") == house.get("/vhost-limits/%2F") == expected
    assert house.put("/queues/%2F/one") == 201
    refused = house.ask("PUT", "/queues/%2F/two", {})
    assert (refused.status, "queue limit" in refused.json["reason"]) == (400, True)
    assert house.delete("/vhost-limits/%2F/max-queues") == 204
    house.put("/vhost-limits/%2F/max-connections", {"value": -1})
    assert house.get("/vhost-limits") == []


@pytest.mark.parametrize(
    ("verb", "target", "status", "reason"),
    [
        ("DELETE", "/vhosts/none", 404, "there is no virtual host 'none'"),
        ("DELETE", "/vhosts/%2F", 400, "beanstalk's tubes are in it"),
        ("GET", "/vhosts/none", 404, "there is no virtual host 'none'"),
        ("PUT", "/vhost-limits/%2F/max-fun", 400, "there is no limit 'max-fun'"),
        ("PUT", "/vhost-limits/none/max-queues", 404, "there is no virtual host 'none'"),
    ],
)
def test_what_cannot_be_is_refused(house: House, verb: str, target: str, status: int, reason: str) -> None:
    answer = house.ask(verb, target, {"value": 1})
    assert (answer.status, reason in answer.json["reason"]) == (status, True), answer.body
