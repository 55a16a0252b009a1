from __future__ import annotations

from typing import Any

import pytest
from rich.console import Console

from penstock.cli.top_view import Snapshot, drawn

OVERVIEW = {
    "product_name": "Penstock",
    "product_version": "1.2",
    "message_stats": {"publish_details": {"rate": 1234.4}, "ack_details": {"rate": 5.0}},
    "queue_totals": {"messages": 12, "messages_ready": 10, "messages_unacknowledged": 2},
    "object_totals": {"connections": 3, "queues": 2},
}


def queue(name: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "vhost": "/", "messages": 0, "messages_ready": 0, "consumers": 1, **more}


QUEUES = [
    queue("quiet"),
    queue("full", messages=9, messages_ready=9, consumers=0),
    queue("busy", messages=3, message_stats={"publish_details": {"rate": 7.0}}),
]
SEEN = Snapshot(place="http://here", overview=OVERVIEW, queues=QUEUES)


def shown(seen: Snapshot, order: str = "messages", lines: int = 10) -> str:
    console = Console(width=100, record=True, file=open("/dev/null", "w"))  # noqa: PTH123, SIM115
    with console.file:
        console.print(drawn(seen, order, lines))
        return console.export_text()


def test_rates_depths_and_totals_stand_above_the_queues() -> None:
    text = shown(SEEN)
    assert "Penstock 1.2  http://here" in text
    assert "in 1,234/s" in text
    assert "ready 10   unacked 2   total 12" in text
    assert "3 connections" in text


@pytest.mark.parametrize(
    ("order", "names"),
    [
        ("messages", ["full", "busy", "quiet"]),
        ("in", ["busy", "quiet", "full"]),
        ("name", ["busy", "full", "quiet"]),
    ],
)
def test_queues_stand_in_the_order_that_was_asked_for(order: str, names: list[str]) -> None:
    assert [each["queue"] for each in SEEN.sorted_queues(order)] == names


def test_queues_that_do_not_fit_are_counted() -> None:
    text = shown(SEEN, lines=1)
    assert "full" in text
    assert "busy" not in text
    assert "2 queues more" in text


def test_a_broker_that_went_is_told_and_what_was_seen_last_stays() -> None:
    text = shown(SEEN.lost("nobody answers"))
    assert "nobody answers" in text
    assert "full" in text


def test_a_broker_that_tells_little_is_shown_with_zeros() -> None:
    seen = Snapshot(place="p", overview={"rabbitmq_version": "3.8"}, queues=[{"name": "q"}])
    assert "RabbitMQ 3.8" in shown(seen)
    assert seen.as_fields("name")["rates"] == {"in": 0.0, "out": 0.0, "acked": 0.0, "redelivered": 0.0}


def test_a_name_cannot_draw_on_the_terminal() -> None:
    text = shown(Snapshot(place="p", overview={}, queues=[queue("a\x1b[2J[red]b")]))
    assert "a\\x1b[2J[red]b" in text
