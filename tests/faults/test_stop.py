"""A broker that is asked to stop settles what is in flight, says farewell, and loses nothing."""

from __future__ import annotations

import signal
import time
from typing import TYPE_CHECKING

import pytest

from tests.faults.broker import FaultyBroker, wait_for

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_everybody_is_told_and_the_end_is_regular(broker: FaultyBroker, number: signal.Signals) -> None:
    with broker.line() as line:
        broker.signal(number)
        code, text = line.closed_by_broker()
        assert (code, text) == (
            320,
            "CONNECTION_FORCED - broker forced connection closure with reason 'shutdown'",
        )
    assert broker.exit_code() == 0


def test_what_is_in_hand_may_be_settled_before_the_end(broker: FaultyBroker) -> None:
    with broker.channel() as channel:
        channel.call("queue.declare", queue="kept", durable=True)
        for body in ("one", "two"):
            channel.publish_safely(body, "kept", delivery_mode=2)
        channel.ask("basic.qos", prefetch_count=1)
        channel.consume("kept")
        first = channel.delivery()
        broker.signal(signal.SIGTERM)
        wait_for(lambda: "stopping" in broker.log, "the beginning of the end")
        # Nobody is let in, and nothing more is delivered, but what is in hand can be settled.
        with pytest.raises(ConnectionRefusedError):
            broker.line()
        channel.send("basic.ack", delivery=first.delivery)
        assert channel.line.closed_by_broker()[0] == 320
        assert not channel.line.inbox[1]
    assert broker.exit_code() == 0
    broker.start()
    with broker.channel() as channel:
        assert channel.drain("kept") == ["two"]


def test_who_does_not_settle_is_not_waited_for_for_ever(broker_with: Callable[..., FaultyBroker]) -> None:
    broker = broker_with("--stop-timeout", "100ms")
    with broker.channel() as channel:
        channel.call("queue.declare", queue="kept", durable=True)
        channel.publish_safely("one", "kept", delivery_mode=2)
        assert channel.get("kept", no_ack=False).body == b"one"
        broker.signal(signal.SIGTERM)
        assert channel.line.closed_by_broker()[0] == 320
    assert broker.exit_code() == 0
    broker.start()
    with broker.channel() as channel:
        assert channel.drain("kept") == ["one"]


def test_the_second_signal_ends_it_at_once(broker: FaultyBroker) -> None:
    with broker.channel() as channel:
        queue = channel.queue()
        channel.publish("in hand", queue)
        channel.get_soon(queue, no_ack=False)
        broker.signal(signal.SIGTERM)
        wait_for(lambda: "stopping" in broker.log, "the beginning of the end")
        broker.signal(signal.SIGTERM)
        assert broker.exit_code() == -signal.SIGTERM


def test_all_that_was_confirmed_before_the_end_is_there(broker: FaultyBroker) -> None:
    with broker.channel() as channel:
        channel.call("queue.declare", queue="kept", durable=True)
        channel.call("confirm.select")
        for number in range(500):
            channel.publish(str(number), "kept", delivery_mode=2)
        channel.is_still_open()
        broker.signal(signal.SIGTERM)
        while channel.line.maybe_closed() is None:
            channel.line.read(until=time.monotonic() + 60)
        confirms = [method.delivery for method in channel.line.inbox[1] if method.name == "basic.ack"]
        assert max(confirms) == 500
        channel.line.closed_by_broker()
    assert broker.exit_code() == 0
    broker.start()
    with broker.channel() as channel:
        assert channel.drain("kept") == [str(number) for number in range(500)]
