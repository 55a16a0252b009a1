from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from penstock.panel.api import messages
from penstock.panel.api.contents import size_told

if TYPE_CHECKING:
    from tests.panel.asgi import Answer
    from tests.panel.house import House

PUBLISH = "/exchanges/%2F/amq.default/publish"
GET = "/queues/%2F/q/get"


@pytest.fixture
def queue(house: House) -> House:
    house.put(
        "/queues/%2F/q", {"arguments": {"x-dead-letter-exchange": "", "x-dead-letter-routing-key": "dead"}}
    )
    house.put("/queues/%2F/dead")
    return house


def test_a_message_is_published_and_got_as_it_was(queue: House) -> None:
    properties = {
        "headers": {"n": 1, "nested": {"a": [True, None]}},
        "delivery_mode": 2,
        "content_type": "text/plain",
        "timestamp": 1_700_000_000,
    }
    body = {"routing_key": "q", "payload": "grüße", "properties": properties, "payload_encoding": "string"}
    assert queue.post(PUBLISH, body) == {"routed": True}
    [got] = queue.post(GET, {"count": 5, "ackmode": "ack_requeue_true", "encoding": "auto"})
    assert got["properties"] == properties
    assert (got["payload"], got["payload_encoding"], got["payload_bytes"]) == ("grüße", "string", 7)
    assert (got["exchange"], got["routing_key"], got["redelivered"], got["message_count"]) == (
        "",
        "q",
        False,
        0,
    )


def test_nobody_may_have_asked_for_it(queue: House) -> None:
    assert queue.post(PUBLISH, {"routing_key": "nobody", "payload": "x", "properties": []}) == {
        "routed": False
    }


def test_bytes_travel_as_base64(queue: House) -> None:
    queue.post(PUBLISH, {"routing_key": "q", "payload": "/wA=", "payload_encoding": "base64"})
    [got] = queue.post(GET, {})
    assert (got["payload"], got["payload_encoding"]) == ("/wA=", "base64")
    queue.publish("q", "text")
    *_, got = queue.post(GET, {"count": 2, "encoding": "base64"})
    assert (got["payload"], got["payload_encoding"]) == ("dGV4dA==", "base64")


@pytest.mark.parametrize(
    ("mode", "left", "dead", "redelivered"),
    [
        ({"ackmode": "ack_requeue_true"}, 2, 0, True),
        ({"ackmode": "reject_requeue_true"}, 2, 0, True),
        ({"ackmode": "ack_requeue_false"}, 0, 0, None),
        ({"ackmode": "reject_requeue_false"}, 0, 2, None),
        ({}, 2, 0, True),
        ({"requeue": "false"}, 0, 0, None),
    ],
)
def test_the_ackmode_says_what_becomes_of_what_was_got(
    queue: House, mode: Any, left: int, dead: int, redelivered: Any
) -> None:
    queue.publish("q", "one", "two")
    got = queue.post(GET, {"count": 9, **mode})
    assert [each["payload"] for each in got] == ["one", "two"]
    assert (queue.queue("q").ready, queue.queue("dead").ready, queue.queue("q").held) == (left, dead, 0)
    if redelivered is not None:
        assert [each["redelivered"] for each in queue.post(GET, {"count": 2})] == [redelivered] * 2


def test_a_payload_may_be_cut_even_through_a_character(queue: House) -> None:
    queue.publish("q", "aé")
    [got] = queue.post(GET, {"truncate": 2})
    assert (got["payload"], got["payload_bytes"], got["payload_encoding"]) == ("a", 3, "string")


def test_large_bodies_come_and_go_too(queue: House) -> None:
    large = "x" * 100_000
    queue.publish("q", large)
    assert queue.post(GET, {})[0]["payload"] == large
    assert queue.post(GET, {"truncate": 3})[0]["payload"] == "xxx"


def test_an_answer_has_a_size_and_the_rest_stays(queue: House, monkeypatch: pytest.MonkeyPatch) -> None:
    queue.publish("q", "12345", "67890", "more")
    [first, second, _] = queue.queue("q").peek()
    both = sum(size_told(each.message) for each in (first, second))
    assert both > 10, "properties are told, too"
    monkeypatch.setattr(messages, "BYTES_MOST", both)
    assert len(queue.post(GET, {"count": 3, "ackmode": "ack_requeue_false"})) == 2
    assert queue.queue("q").ready == 1
    queue.publish("q", "too large for any answer" * 10)
    queue.post(GET, {"ackmode": "ack_requeue_false"})
    refused = queue.ask("POST", GET, {"ackmode": "ack_requeue_false"})
    assert (refused.status, "say truncate" in refused.json["reason"]) == (400, True)
    assert queue.queue("q").ready == 1


def test_others_have_their_turn_while_many_are_got(queue: House) -> None:
    queue.publish("q", *"abc" * 50)
    turns = 0

    async def asked() -> Answer:
        nonlocal turns
        got = asyncio.create_task(queue.asker.post(f"/api{GET}", {"count": 150}))
        while not got.done():
            turns += queue.queue("q").held in {50, 100}
            await asyncio.sleep(0)
        return got.result()

    told = queue.run(asked()).json
    assert "".join(each["payload"] for each in told) == "abc" * 50
    assert turns >= 2
    assert (queue.queue("q").ready, queue.queue("q").held) == (150, 0)


@pytest.mark.parametrize(
    ("target", "body", "status", "reason"),
    [
        (PUBLISH, {"payload": "x"}, 400, "missing required field `routing_key`"),
        (PUBLISH, {"routing_key": "q", "payload": "!", "payload_encoding": "base64"}, 400, "no base64"),
        (
            PUBLISH,
            {"routing_key": "q", "payload": "", "properties": {"what": 1}},
            400,
            "unknown field `what`",
        ),
        (PUBLISH, {"routing_key": "q", "payload": "", "properties": {"priority": "high"}}, 400, "priority"),
        (PUBLISH, {"routing_key": "q", "payload": "", "properties": {"timestamp": 1 << 60}}, 400, "no time"),
        (PUBLISH, {"routing_key": "q", "payload": "", "properties": {"user_id": "eve"}}, 400, "'guest' who"),
        ("/exchanges/%2F/none/publish", {"routing_key": "", "payload": ""}, 404, "no exchange 'none'"),
        (GET, {"count": 0}, 400, "count is from 1"),
        (GET, {"ackmode": "maybe"}, 400, "ackmode"),
        ("/queues/%2F/none/get", {}, 404, "no queue 'none'"),
    ],
)
def test_what_cannot_be_is_refused_with_a_reason(
    queue: House, target: str, body: Any, status: int, reason: str
) -> None:
    answer = queue.ask("POST", target, body)
    assert (answer.status, reason in answer.json["reason"]) == (status, True), answer.body


def test_a_full_queue_refuses(house: House) -> None:
    house.put("/queues/%2F/q", {"arguments": {"x-max-length": 1, "x-overflow": "reject-publish"}})
    house.publish("q", "one")
    answer = house.ask("POST", PUBLISH, {"routing_key": "q", "payload": "two"})
    assert (answer.status, "is full" in answer.json["reason"]) == (400, True)


def test_nothing_is_published_into_an_alarm(house: House) -> None:
    house.embedded.front.block("low on memory")
    answer = house.ask("POST", PUBLISH, {"routing_key": "q", "payload": "two"})
    assert (answer.status, answer.json["reason"]) == (503, "the broker takes no publishes now: low on memory")
