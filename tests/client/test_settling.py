from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.client.counters import Counters
from penstock.client.settling import Settling
from penstock.wire.amqp import ServerDecoder
from penstock.wire.amqp.constants import PROTOCOL_HEADER
from penstock.wire.amqp.encoder import method_frame
from penstock.wire.amqp.items import ACK, NACK, REJECT
from penstock.wire.amqp.methods import ChannelOpen


class Desk:
    """A settling whose frames are read back as a broker reads them."""

    def __init__(self, in_hand: int = 10) -> None:
        self.counters = Counters()
        self.woken = 0
        self.settling = Settling(1, "q", self.counters, self._wake)
        self.settling.in_hand = in_hand
        self._decoder = ServerDecoder()
        self._decoder.receive(PROTOCOL_HEADER + method_frame(1, ChannelOpen()))

    def _wake(self) -> None:
        self.woken += 1

    def said(self) -> list[Any]:
        out: list[bytes] = []
        self.settling.frames(out)
        return self._decoder.receive(b"".join(out))


def test_a_run_from_the_lowest_is_one_frame() -> None:
    desk = Desk()
    for tag in (2, 1, 3):
        desk.settling.ack(tag)
    assert desk.woken == 1
    assert desk.said() == [(ACK, 1, 3, True)]
    assert (desk.settling.in_hand, desk.counters.acked) == (7, 3)
    desk.settling.ack(4)
    assert desk.woken == 2
    assert desk.said() == [(ACK, 1, 4, False)]
    assert desk.said() == []


def test_many_are_acknowledged_as_one_by_one() -> None:
    desk = Desk()
    desk.settling.ack_many(range(1, 4))
    desk.settling.ack_many(range(4, 6))
    assert desk.woken == 1
    assert desk.said() == [(ACK, 1, 5, True)]
    assert (desk.settling.in_hand, desk.counters.acked) == (5, 5)
    desk.settling.lose()
    desk.settling.ack_many(range(6, 9))
    assert desk.counters.stale_acks == 3


def test_a_gap_is_not_acknowledged_with_its_neighbours() -> None:
    desk = Desk()
    for tag in (1, 2, 4, 5):
        desk.settling.ack(tag)
    assert desk.said() == [(ACK, 1, 2, True), (ACK, 1, 4, False), (ACK, 1, 5, False)]
    desk.settling.ack(6)
    assert desk.said() == [(ACK, 1, 6, False)]
    # With 3 all up to 6 are settled, and a run begins at 7.
    desk.settling.ack(3)
    assert desk.said() == [(ACK, 1, 3, False)]
    desk.settling.ack(7)
    desk.settling.ack(8)
    assert desk.said() == [(ACK, 1, 8, True)]


def test_what_was_not_acknowledged_is_said_first_so_that_a_multiple_ack_leaves_it_alone() -> None:
    desk = Desk()
    desk.settling.ack(1)
    desk.settling.reject(2, requeue=False)
    desk.settling.nack(3, requeue=True)
    desk.settling.ack(4)
    assert desk.woken == 1
    assert desk.said() == [(REJECT, 1, 2, False), (NACK, 1, 3, False, True), (ACK, 1, 4, True)]
    assert (desk.settling.in_hand, desk.counters.acked, desk.counters.rejected) == (6, 2, 2)


@pytest.mark.parametrize("requeue", [True, False])
def test_reject_and_nack_are_two_methods(requeue: bool) -> None:  # noqa: FBT001  a column of the table
    desk = Desk()
    desk.settling.nack(1, requeue=requeue)
    desk.settling.reject(2, requeue=requeue)
    assert desk.said() == [(NACK, 1, 1, False, requeue), (REJECT, 1, 2, requeue)]
    # Nothing is remembered of what lies below the lowest in hand.
    assert desk.settling._settled == set()


def test_of_a_lost_channel_everything_is_counted_and_nothing_said() -> None:
    desk = Desk()
    desk.settling.ack(1)
    desk.settling.reject(2, requeue=True)
    desk.settling.lose()
    desk.settling.lose()
    desk.settling.ack(3)
    desk.settling.nack(4, requeue=True)
    assert desk.said() == []
    assert desk.counters.stale_acks == 4
    assert "10 in hand" in repr(desk.settling)


@given(st.permutations(range(1, 13)), st.data())
def test_every_delivery_is_settled_once_as_it_was_meant(tags: list[int], data: st.DataObject) -> None:
    desk = Desk(12)
    meant = {tag: data.draw(st.sampled_from(["ack", "reject", "nack"])) for tag in tags}
    heard: dict[int, str] = {}

    def listen() -> None:
        for item in desk.said():
            if item[0] is ACK:
                covered = [tag for tag in range(1, item[2]) if tag not in heard] if item[3] else []
                heard.update(dict.fromkeys([*covered, item[2]], "ack"))
            else:
                assert item[2] not in heard
                heard[item[2]] = "reject" if item[0] is REJECT else "nack"

    for tag in tags:
        if meant[tag] == "ack":
            desk.settling.ack(tag)
        else:
            getattr(desk.settling, meant[tag])(tag, requeue=True)
        if data.draw(st.booleans()):
            listen()
            assert set(heard) == set(tags[: tags.index(tag) + 1])
    listen()
    assert heard == meant
    assert desk.settling.in_hand == 0


def test_a_touch_is_published_before_what_is_settled_and_settles_nothing() -> None:
    desk = Desk()
    desk.settling.touch(7)
    desk.settling.touch(8)
    desk.settling.ack(1)
    assert desk.woken == 2
    *published, acked = desk.said()
    assert acked == (ACK, 1, 1, False)
    assert [(item[2].routing_key, dict(item[3].headers)) for item in published] == [
        ("amq.penstock.touch", {"x-delivery-tag": tag}) for tag in (7, 8)
    ]
    assert desk.settling.in_hand == 9
    desk.settling.lose()
    desk.settling.touch(9)
    assert desk.said() == []
