from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote

if TYPE_CHECKING:
    from tests.panel.house import House


def test_there_is_one_node_and_it_tells_what_it_uses(house: House) -> None:
    [node] = house.get("/nodes")
    assert (node["running"], node["mem_alarm"], node["disk_free_alarm"]) == (True, False, False)
    assert 0 < node["mem_used"] < node["mem_limit"]
    assert 0 < node["fd_used"] < node["fd_total"]
    assert house.get(f"/nodes/{quote(node['name'])}")["name"] == node["name"]
    assert house.get("/cluster-name") == {"name": node["name"]}


def test_alarms_are_told_apart(house: House) -> None:
    house.embedded.front.block("low on memory & disk")
    [node] = house.get("/nodes")
    assert (node["mem_alarm"], node["disk_free_alarm"]) == (True, True)


def test_its_memory_is_told_as_the_system_sees_it(house: House) -> None:
    [node] = house.get("/nodes?columns=name")
    assert house.get(f"/nodes/{quote(node['name'])}/memory")["memory"]["total"]["rss"] > 0


def test_there_is_no_other(house: House) -> None:
    assert house.ask("GET", "/nodes/rabbit@elsewhere").status == 404
    assert house.ask("GET", "/nodes/rabbit@elsewhere/memory").status == 404
