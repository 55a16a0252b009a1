from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.panel.house import House


def test_an_exchange_is_declared_shown_and_deleted(house: House) -> None:
    body = {"type": "headers", "internal": True, "arguments": {"alternate-exchange": "amq.fanout"}}
    assert [house.put("/exchanges/%2F/e", body), house.put("/exchanges/%2F/e", body)] == [201, 204]
    shown = house.get("/exchanges/%2F/e")
    assert (shown["type"], shown["class"], shown["internal"]) == ("headers", "PROP-TEST", True)
    assert shown["arguments"] == body["arguments"]
    assert house.delete("/exchanges/%2F/e") == 204
    assert house.ask("GET", "/exchanges/%2F/e").status == 404


def test_those_from_the_start_are_listed(house: House) -> None:
    names = [each["name"] for each in house.get("/exchanges/%2F")]
    assert names == ["", "amq.direct", "amq.fanout", "amq.headers", "amq.match", "amq.topic"]
    assert house.get("/exchanges/%2F/amq.default")["name"] == ""


def test_what_is_published_to_one_is_counted(house: House) -> None:
    house.get("/exchanges")
    for _ in range(3):
        house.post("/exchanges/%2F/amq.topic/publish", {"routing_key": "a", "payload": "x"})
    clock: Any = house.broker.clock
    clock.advance(6.0)
    assert house.get("/exchanges/%2F/amq.topic")["message_stats"] == {
        "publish_in": 3,
        "publish_in_details": {"rate": 0.5},
        "publish_out": 0,
        "publish_out_details": {"rate": 0.0},
    }


@pytest.mark.parametrize(
    ("verb", "target", "body", "status", "reason"),
    [
        ("PUT", "/exchanges/%2F/e", {"type": "strange"}, 400, "unknown exchange type 'strange'"),
        ("PUT", "/exchanges/%2F/amq.topic", {"type": "direct"}, 400, "inequivalent arg 'type'"),
        ("PUT", "/exchanges/%2F/amq.default", {}, 403, "not permitted on the default exchange"),
        ("DELETE", "/exchanges/%2F/amq.topic", None, 403, "deletion of system exchange"),
        ("DELETE", "/exchanges/%2F/none", None, 404, "there is no exchange 'none'"),
        ("DELETE", "/exchanges/%2F/used?if-unused=true", None, 400, "in use"),
    ],
)
def test_what_cannot_be_is_refused_with_a_reason(
    house: House, verb: str, target: str, body: Any, status: int, reason: str
) -> None:
    house.put("/exchanges/%2F/used")
    house.put("/queues/%2F/q")
    house.post("/bindings/%2F/e/used/q/q")
    answer = house.ask(verb, target, body)
    assert (answer.status, reason in answer.json["reason"]) == (status, True), answer.body
