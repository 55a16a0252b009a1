from __future__ import annotations

import asyncio

from penstock.did.observing.taken import COLUMNS, Settled, Taken
from penstock.messaging.message import Destination

ROW = dict.fromkeys(COLUMNS) | {
    "position": 7,
    "body": bytearray(b"{}"),
    "message_id": "m1",
    "exchange": "orb",
    "routing_key": "orb.anchor",
    "headers": '{"orb-redelivery-count":"2","x-penstock-attempts":3}',
}


def test_a_row_is_a_message() -> None:
    taken = Taken("orb.anchor", ROW)
    assert (taken.body, taken.type, taken.queue) == (b"{}", "", "orb.anchor")
    assert taken.message.id == "m1"
    assert taken.message.headers["orb-redelivery-count"] == "2"
    assert taken.message.attempts == 3
    assert taken.destination == Destination("orb", "orb.anchor")
    assert taken.heading.content_type == "application/json"
    assert (taken.redelivered, taken.is_lost, taken.delivery_count, taken.deaths) == (False, False, 0, ())
    assert Taken("q", ROW | {"headers": None}).message.headers == {}


def test_what_was_decided_is_written_down_and_no_more() -> None:
    taken = Taken("orb.anchor", ROW)
    assert taken.settled is Settled.NOT
    for settle, expected in (
        (taken.reject, Settled.REJECTED),
        (taken.requeue, Settled.RETURNED),
        (taken.ack, Settled.DONE),
    ):
        settle()
        assert taken.settled is expected
    assert repr(taken) == "<Taken m1 from 'orb.anchor', done>"
    assert asyncio.run(taken.ack_for_certain())
