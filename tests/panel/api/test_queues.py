from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from penstock.wire.amqp.methods import BasicConsume, BasicConsumeOk
from tests.server.peer import until

if TYPE_CHECKING:
    from tests.panel.house import House


def test_a_queue_is_declared_shown_and_deleted(house: House) -> None:
    body = {"durable": True, "arguments": {"x-max-length": 10}}
    assert [house.put("/queues/%2F/a%2Fb", body), house.put("/queues/%2F/a%2Fb", body)] == [201, 204]
    shown = house.get("/queues/%2F/a%2Fb")
    assert (shown["name"], shown["vhost"], shown["durable"], shown["type"]) == ("a/b", "/", True, "classic")
    assert (shown["arguments"], shown["messages"], shown["state"]) == ({"x-max-length": 10}, 0, "running")
    assert house.delete("/queues/%2F/a%2Fb") == 204
    assert house.get("/queues") == []


def test_words_are_taken_for_flags_as_rabbitmqadmin_sends_them(house: House) -> None:
    house.put("/queues/%2F/q", {"durable": "false", "auto_delete": "true", "node": None, "name": "q"})
    shown = house.get("/queues/%2F/q")
    assert (shown["durable"], shown["auto_delete"]) == (False, True)


@pytest.mark.parametrize(
    ("verb", "target", "body", "status", "reason"),
    [
        ("PUT", "/queues/%2F/q", {"durable": False}, 400, "inequivalent arg 'durable' for queue 'q'"),
        (
            "PUT",
            "/queues/%2F/x",
            {"arguments": {"x-message-ttl": "soon"}},
            400,
            "invalid arg 'x-message-ttl'",
        ),
        ("PUT", "/queues/%2F/x", {"arguments": 7}, 400, "the body is not what is asked for"),
        ("PUT", "/queues/%2F/x", b"{", 400, "the body is no JSON"),
        ("PUT", "/queues/%2F/amq.mine", {}, 403, "contains reserved prefix 'amq.*'"),
        ("PUT", f"/queues/%2F/{'x' * 300}", {}, 400, "255"),
        ("PUT", "/queues/nowhere/x", {}, 404, "there is no virtual host 'nowhere'"),
        ("GET", "/queues/%2F/x", None, 404, "there is no queue 'x' in virtual host '/'"),
        ("GET", "/queues/nowhere", None, 404, "there is no virtual host 'nowhere'"),
        ("DELETE", "/queues/%2F/x", None, 404, "there is no queue 'x'"),
        ("DELETE", "/queues/%2F/q?if-empty=true", None, 400, "queue 'q' in vhost '/' not empty"),
        ("DELETE", "/queues/%2F/x/contents", None, 404, "no queue 'x' in vhost '/'"),
    ],
)
def test_what_cannot_be_is_refused_with_a_reason(
    house: House, verb: str, target: str, body: Any, status: int, reason: str
) -> None:
    house.put("/queues/%2F/q")
    house.publish("q", "full")
    answer = house.ask(verb, target, body)
    assert answer.status == status
    assert reason in answer.json["reason"]
    assert answer.json["error"]


def test_what_waits_and_what_flows_is_told(house: House) -> None:
    house.put("/queues/%2F/q")
    house.get("/queues")
    house.publish("q", "one", "two", "three")
    house.post("/queues/%2F/q/get", {"count": 1, "ackmode": "ack_requeue_false"})
    clock: Any = house.broker.clock
    clock.advance(10.0)
    shown = house.get("/queues/%2F/q")
    assert (shown["messages"], shown["messages_ready"], shown["messages_unacknowledged"]) == (2, 2, 0)
    stats = shown["message_stats"]
    assert (stats["publish"], stats["publish_details"]) == (3, {"rate": 0.3})
    assert (stats["deliver_get"], stats["ack"]) == (1, 1)
    assert shown["oldest_age"] == pytest.approx(10.0, abs=0.5)


def test_the_total_is_one_number_in_rows_in_their_order_and_in_metrics(house: House) -> None:
    for name, headers in (("delayed", {"x-delay": 60_000}), ("ready", {})):
        house.put(f"/queues/%2F/{name}")
        house.publish(name, *"abc"[: 3 if headers else 1], headers=headers)
    rows = house.get("/queues?sort=messages&sort_reverse=true")
    assert [(row["name"], row["messages"], row["messages_delayed"]) for row in rows] == [
        ("ready", 1, 0),
        ("delayed", 0, 3),
    ]
    metrics = house.run(house.asker.get("/metrics/per-object")).text
    for row in rows:
        assert f'rabbitmq_queue_messages{{vhost="/",queue="{row["name"]}"}} {row["messages"]}' in metrics


def test_the_consumers_of_a_queue_are_told_with_their_channels(house: House) -> None:
    house.put("/queues/%2F/q")
    client = house.client()
    house.run(client.ask(BasicConsumeOk, BasicConsume("q", "worker")))
    house.publish("q", "one")
    house.run(until(lambda: client.delivered))
    shown = house.get("/queues/%2F/q")
    assert (shown["consumers"], shown["messages_unacknowledged"]) == (1, 1)
    [consumer] = shown["consumer_details"]
    assert (consumer["consumer_tag"], consumer["channel_details"]["user"]) == ("worker", "guest")
    assert house.get("/consumers/%2F") == shown["consumer_details"]


def test_a_purge_drops_what_waits(house: House) -> None:
    house.put("/queues/%2F/q")
    house.publish("q", "one", "two")
    assert house.delete("/queues/%2F/q/contents") == 204
    assert house.get("/queues/%2F/q")["messages"] == 0


def test_readers_are_told(house: House) -> None:
    house.put("/queues/%2F/q")
    house.host.readers.open("q", "table")
    [reader] = house.get("/queues/%2F/q")["readers"]
    assert (reader["name"], reader["uncommitted"]) == ("table", 0)


def test_a_connections_own_queue_says_whose_it_is(house: House) -> None:
    client = house.client()
    house.host.create_queue(
        "mine", private_to=next(iter(house.embedded.front.sessions)).connection, now=1000.0
    )
    shown = house.get("/queues/%2F/mine")
    assert (shown["exclusive"], shown["owner_pid_details"]) == (True, {"name": "here"})
    house.run(client.leave())


def test_a_queue_of_a_namespace_is_found_by_its_address(house: House) -> None:
    house.host.wiring.create_queue("q", namespace="tubes", now=1000.0)
    assert [queue["name"] for queue in house.get("/queues")] == ["tubes/q"]
    assert house.get("/queues/%2F/tubes%2Fq")["name"] == "tubes/q"


def test_a_queue_in_which_nothing_happens_is_idle_and_runs_again_with_the_next_message(house: House) -> None:
    house.put("/queues/%2F/q")
    statistics = house.broker.statistics
    for at in (1005.0, 1010.0):
        statistics.look(at)
    told = house.get("/queues/%2F/q")
    assert (told["state"], told["idle_since"]) == ("running", "1970-01-01T00:16:45.000+00:00")
    house.publish("q", "x")
    assert "idle_since" not in house.get("/queues/%2F/q")
