"""Samples: the past of what the API tells, in RabbitMQ's forms."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from penstock.panel.api.samples import added, details
from penstock.wire.amqp.methods import QueueDeclare, QueueDeclareOk

if TYPE_CHECKING:
    from tests.panel.house import House

MINUTE = "lengths_age=60&lengths_incr=5&msg_rates_age=60&msg_rates_incr=5&data_rates_age=60&data_rates_incr=5"


def pass_time(house: House, seconds: float) -> None:
    clock: Any = house.broker.clock
    house.broker.statistics.look(clock.advance(seconds))


def shown(told: dict[str, Any]) -> list[tuple[int, int]]:
    return [(each["timestamp"] // 1000, each["sample"]) for each in told["samples"]]


def test_a_queues_past_is_told_at_whole_multiples_the_newest_first(house: House) -> None:
    house.put("/queues/%2F/q")
    pass_time(house, 5.0)
    house.publish("q", "one", "two")
    pass_time(house, 5.0)
    pass_time(house, 7.0)
    told = house.get(f"/queues/%2F/q?{MINUTE}")
    past = [(1015, 2), (1010, 2), (1005, 0), (1000, 0)]
    assert shown(told["messages_details"]) == past
    assert shown(told["message_stats"]["publish_details"]) == past
    assert told["messages_details"]["avg_rate"] == pytest.approx(2 / 15)
    assert told["messages_details"]["avg"] == 1.0
    [row] = house.get(f"/queues?{MINUTE}")
    assert row["message_stats"] == told["message_stats"]


def test_the_overview_a_virtual_host_and_an_exchange_have_a_past(house: House) -> None:
    house.put("/queues/%2F/q")
    house.publish("q", "one")
    pass_time(house, 5.0)
    overview, host = house.get(f"/overview?{MINUTE}"), house.get(f"/vhosts/%2F?{MINUTE}")
    assert shown(overview["queue_totals"]["messages_details"]) == [(1005, 1), (1000, 0)]
    assert overview["message_stats"]["publish_details"] == host["message_stats"]["publish_details"]
    assert host["messages_details"] == overview["queue_totals"]["messages_details"]
    exchange = house.get(f"/exchanges/%2F/amq.default?{MINUTE}")["message_stats"]
    assert shown(exchange["publish_out_details"]) == [(1005, 1), (1000, 0)]


def test_a_connections_bytes_have_a_rate_and_a_past(house: House) -> None:
    client = house.client()
    pass_time(house, 5.0)
    house.run(client.ask(QueueDeclareOk, QueueDeclare("q")))
    pass_time(house, 5.0)
    [told] = house.get(f"/connections?{MINUTE}")
    newest, before, _ = shown(told["recv_oct_details"])
    assert newest == (1010, told["recv_oct"])
    assert 0 < before[1] < newest[1]
    assert told["recv_oct_details"]["rate"] > 0


def test_without_a_word_about_it_there_are_rates_alone(house: House) -> None:
    for query in ("", "?lengths_age=60", "?lengths_incr=5"):
        assert house.get(f"/overview{query}")["queue_totals"]["messages_details"] == {"rate": 0.0}


@pytest.mark.parametrize("query", ["lengths_age=60&lengths_incr=0", "msg_rates_age=9999&msg_rates_incr=1"])
def test_what_cannot_be_told_is_refused(house: House, query: str) -> None:
    answer = house.ask("GET", f"/overview?{query}")
    assert answer.status == 400
    assert "_age is at most 500 times" in answer.json["reason"]


def test_a_single_sample_has_no_average() -> None:
    assert details(1.0, [(5.0, [7])], 0) == {"rate": 1.0, "samples": [{"sample": 7, "timestamp": 5000}]}
    assert details(1.0, [], 0) == {"rate": 1.0, "samples": []}


def test_pasts_are_added_moment_by_moment() -> None:
    assert added([[(2.0, [1, 10]), (1.0, [0, 5])], None, [(2.0, [2, 20]), (1.0, [1, 1])]]) == [
        (2.0, [3, 30]),
        (1.0, [1, 6]),
    ]
    assert added([None]) is None
