from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from penstock.panel.api import peeking
from penstock.wire.amqp.methods import BasicConsume, BasicConsumeOk
from tests.panel.house import House
from tests.server.peer import until

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PEEK = "/penstock/queues/%2F/q/peek"


@pytest.fixture(params=["memory", "disk"])
def house(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[House]:
    """Brokers that have ten messages in a queue: all in memory, or all but the first few on disk."""
    where = {} if request.param == "memory" else {"data": tmp_path, "window": 16}
    with House(**where) as house:
        house.put("/queues/%2F/q")
        for number in range(30):
            house.publish("q", f"m{number}", headers={"n": number, "even": number % 2 == 0}, delivery_mode=2)
        yield house


def bodies(house: House, query: str) -> list[tuple[int, str]]:
    return [(each["position"], each["payload"]) for each in house.get(f"{PEEK}?{query}")]


def test_messages_are_seen_at_their_positions(house: House) -> None:
    assert bodies(house, "count=2") == [(0, "m0"), (1, "m1")]
    assert bodies(house, "position=14&count=4") == [(at, f"m{at}") for at in range(14, 18)]
    assert bodies(house, "position=28") == [(28, "m28"), (29, "m29")]
    assert bodies(house, "position=1000000") == []


def test_a_look_disturbs_nothing(house: House) -> None:
    house.get(f"{PEEK}?count=30")
    assert (house.queue("q").ready, house.queue("q").held) == (30, 0)
    got = house.post("/queues/%2F/q/get", {"count": 30, "ackmode": "ack_requeue_false"})
    assert [(each["payload"], each["redelivered"]) for each in got] == [(f"m{at}", False) for at in range(30)]


def test_a_filter_chooses_and_the_answer_says_where_to_go_on(house: House) -> None:
    answer = house.ask("GET", f"{PEEK}?filter=even%20AND%20n%20%3E%2010&count=2")
    assert [each["position"] for each in answer.json] == [12, 14]
    further = answer.header("x-next-position")
    assert bodies(house, f"filter=even&count=2&position={further}") == [(16, "m16"), (18, "m18")]


def test_a_filter_does_not_look_for_ever(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(peeking, "SLICE", 5)
    monkeypatch.setattr(peeking, "SCAN_MOST", 10)
    seen, position = [], "0"
    for _ in range(3):
        answer = house.ask("GET", f"{PEEK}?filter=n%20%3D%2027&position={position}")
        seen.append((position, len(answer.json)))
        position = answer.header("x-next-position")
    assert seen == [("0", 0), ("10", 0), ("20", 1)]
    assert position == "30", "who goes on from there comes to the end"


def test_an_answer_has_a_size_with_its_headers(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    house.publish("q", "", headers={"long": "x" * 1000}, delivery_mode=2)
    monkeypatch.setattr(peeking, "BYTES_MOST", 500)
    answer = house.ask("GET", f"{PEEK}?position=28&count=3")
    assert [each["position"] for each in answer.json] == [28, 29]
    assert answer.header("x-next-position") == "30"
    assert len(house.get(f"{PEEK}?position=30")) == 1, "one is told however long it is"


def test_what_consumers_hold_is_seen_too(house: House) -> None:
    client = house.client()
    house.run(client.ask(BasicConsumeOk, BasicConsume("q")))
    house.run(until(lambda: len(client.delivered) == 30))
    assert bodies(house, "count=2") == []
    assert bodies(house, "state=unacked&position=3&count=2") == [(3, "m3"), (4, "m4")]


def test_what_is_not_ready_is_looked_at_as_far_as_it_is_cheap(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(peeking, "FAR_MOST", 12)
    monkeypatch.setattr(peeking, "SLICE", 5)
    client = house.client()
    house.run(client.ask(BasicConsumeOk, BasicConsume("q")))
    house.run(until(lambda: len(client.delivered) == 30))
    answer = house.ask("GET", f"{PEEK}?state=unacked&filter=n%20%3E%3D%2010")
    assert [each["position"] for each in answer.json] == [10, 11]
    further = answer.header("x-next-position")
    refused = house.ask("GET", f"{PEEK}?state=unacked&position={further}")
    assert (refused.status, "the first 12" in refused.json["reason"]) == (400, True)


def test_a_message_tells_its_story(house: House) -> None:
    house.post("/queues/%2F/q/get", {"ackmode": "reject_requeue_true"})
    [told] = house.get(f"{PEEK}?count=1&truncate=1")
    assert (told["payload"], told["payload_bytes"], told["redelivered"]) == ("m", 2, True)
    assert (told["deliveries"], told["failures"], told["properties"]["headers"]["n"]) == (1, 1, 0)


@pytest.mark.parametrize(
    ("query", "status", "reason"),
    [
        ("count=0", 400, "1 to 500"),
        ("count=501", 400, "1 to 500"),
        ("position=-1", 400, "position is no whole number"),
        ("state=lost", 400, "state is one of ready, unacked, delayed, buried"),
        ("filter=n%20%3D", 400, "(column "),
    ],
)
def test_a_query_that_cannot_be_is_refused(house: House, query: str, status: int, reason: str) -> None:
    answer = house.ask("GET", f"{PEEK}?{query}")
    assert (answer.status, reason in answer.json["reason"]) == (status, True), answer.body


def test_only_those_see_messages_who_may_read_them(house: House) -> None:
    house.user("eve", "monitoring", may="^other")
    answer = house.ask("GET", PEEK, user="eve")
    assert (answer.status, "read access to queue 'q'" in answer.json["reason"]) == (403, True)
