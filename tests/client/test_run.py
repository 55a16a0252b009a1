from __future__ import annotations

from penstock.client.counters import Counters
from penstock.client.run import Run
from penstock.client.settling import Settling
from penstock.wire.amqp import DeliverArgs


def run(settling: Settling, first: int, *frames: bytes) -> Run:
    args = DeliverArgs("c", redelivered=True, exchange="ex", routing_key="k")
    return Run(settling, first, args, list(frames))


def test_it_says_where_its_messages_are_from() -> None:
    ours = run(Settling(1, "q", Counters(), lambda: None), 3, b"a", b"b")

    assert (len(ours), ours.frames) == (2, [b"a", b"b"])
    assert (ours.exchange, ours.routing_key, ours.redelivered) == ("ex", "k", True)
    assert repr(ours) == "<Run of 2 from 'ex' with 'k', in hand>"


def test_it_is_acknowledged_as_a_whole_and_once() -> None:
    counters = Counters()
    settling = Settling(1, "q", counters, lambda: None)
    settling.in_hand = 5
    ours = run(settling, 1, b"a", b"b", b"c")

    ours.ack()
    ours.ack()
    out: list[bytes] = []
    settling.frames(out)

    assert (len(out), settling.in_hand, counters.acked) == (1, 2, 3)
    assert repr(ours).endswith("settled>")


def test_on_a_channel_that_is_gone_it_only_counts() -> None:
    counters = Counters()
    settling = Settling(1, "q", counters, lambda: None)
    ours = run(settling, 1, b"a", b"b")
    assert not ours.is_lost
    settling.lose()

    ours.ack()

    assert ours.is_lost
    assert (counters.acked, counters.stale_acks) == (0, 2)
