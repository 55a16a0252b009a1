from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.wire.amqp.methods import BasicConsume, BasicConsumeOk

if TYPE_CHECKING:
    from tests.panel.house import House


def test_consumers_are_told_with_what_they_asked_for(house: House) -> None:
    house.put("/queues/%2F/q", {"arguments": {"x-single-active-consumer": True}})
    client = house.client()
    for tag in ("first", "second"):
        house.run(client.ask(BasicConsumeOk, BasicConsume("q", tag, arguments={"x-priority": 0})))
    first, second = house.get("/consumers")
    assert (first["consumer_tag"], first["active"], first["activity_status"]) == ("first", True, "up")
    assert (second["consumer_tag"], second["active"], second["activity_status"]) == (
        "second",
        False,
        "waiting",
    )
    assert first["queue"] == {"name": "q", "vhost": "/"}
    assert first["channel_details"]["number"] == 1
    assert house.get("/queues/%2F/q")["single_active_consumer_tag"] == "first"


def test_only_those_in_virtual_hosts_that_may_be_seen_are_told(house: House) -> None:
    house.put("/queues/%2F/q")
    client = house.client()
    house.run(client.ask(BasicConsumeOk, BasicConsume("q")))
    house.user("eve", "management", vhosts=())
    assert house.get("/consumers", user="eve") == []
    assert house.ask("GET", "/consumers/%2F", user="eve").status == 403


def test_who_consumes_without_a_session_is_told_without_a_channel(house: House) -> None:
    house.put("/queues/%2F/q")
    ledger = house.host.wiring.connect("here").open_ledger()
    house.host.wiring.consume(ledger, house.queue("q"), "inside", now=1000.0)
    [consumer] = house.get("/consumers")
    assert consumer["channel_details"] == {}
