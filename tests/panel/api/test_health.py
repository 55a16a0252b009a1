from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from penstock.panel.api.health import ALIVENESS

if TYPE_CHECKING:
    from tests.panel.house import House

CHECKS = "/health/checks"
WELL = [
    f"{CHECKS}/alarms",
    f"{CHECKS}/local-alarms",
    f"{CHECKS}/virtual-hosts",
    f"{CHECKS}/port-listener/5672",
    f"{CHECKS}/protocol-listener/amqp",
    f"{CHECKS}/protocol-listener/AMQP091",
    f"{CHECKS}/node-is-quorum-critical",
    f"{CHECKS}/node-is-mirror-sync-critical",
    f"{CHECKS}/is-in-service",
    f"{CHECKS}/ready-to-serve-clients",
    f"{CHECKS}/below-node-connection-limit",
    "/healthchecks/node",
    "/aliveness-test/%2F",
]


@pytest.mark.parametrize("target", WELL)
def test_a_broker_that_is_well_says_so(house: House, target: str) -> None:
    house.embedded.urls.append("amqp://127.0.0.1:5672")
    assert house.get(target)["status"] == "ok"


@pytest.mark.parametrize("check", ["alarms", "local-alarms", "is-in-service", "ready-to-serve-clients"])
def test_an_alarm_is_told(house: House, check: str) -> None:
    house.embedded.front.block("low on disk")
    answer = house.ask("GET", f"{CHECKS}/{check}")
    assert (answer.status, answer.json["status"]) == (503, "failed")
    assert answer.json["alarms"][0]["resource"] == "low on disk"


def test_a_broker_that_stops_serves_no_clients(house: House) -> None:
    house.embedded.front.is_stopping = True
    assert house.ask("GET", f"{CHECKS}/ready-to-serve-clients").status == 503


def test_what_nobody_listens_on_is_told_with_what_there_is(house: House) -> None:
    house.embedded.urls.append("amqps://[::1]:5671")
    answer = house.ask("GET", f"{CHECKS}/port-listener/1")
    assert (answer.status, answer.json["missing"], answer.json["ports"]) == (503, 1, [5671])
    answer = house.ask("GET", f"{CHECKS}/protocol-listener/mqtt")
    assert (answer.status, answer.json["protocols"]) == (503, ["amqp/ssl"])
    for port in ("x", "-1", "%C2%B2", "%D9%A3", "123456"):
        assert house.ask("GET", f"{CHECKS}/port-listener/{port}").status == 400, port


def test_a_virtual_host_that_is_missing_is_told(house: House) -> None:
    house.put("/vhosts/lost")
    del house.broker.hosts["lost"]
    assert house.ask("GET", f"{CHECKS}/virtual-hosts").json["virtual_hosts"] == ["lost"]


def test_a_broker_without_room_says_so(house: House) -> None:
    object.__setattr__(house.embedded.front.settings, "max_connections", 0)
    assert house.ask("GET", f"{CHECKS}/below-node-connection-limit").status == 503


def test_the_aliveness_test_leaves_an_empty_queue(house: House) -> None:
    house.get("/aliveness-test/%2F")
    assert house.queue(ALIVENESS).ready == 0
    house.embedded.broker.hosts["/"].wiring.queues["", ALIVENESS].pause(1e12)
    assert house.ask("GET", "/aliveness-test/%2F").status == 503
