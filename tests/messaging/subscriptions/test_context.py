from __future__ import annotations

from math import inf

from penstock.clock import VirtualClock
from penstock.messaging import Message
from penstock.messaging.subscriptions.context import Context
from penstock.messaging.subscriptions.worker import Worker
from tests.messaging.fakes import FakeReceived


def test_a_handler_is_told_the_circumstances() -> None:
    message = Message(body=b"", id="m1", type="Bill", headers={"x-penstock-attempts": 2})
    received = FakeReceived(message)
    received.redelivered = True
    context = Context(received, "shop.bills", Worker(), VirtualClock())
    assert context.message is message
    assert (context.consumer, context.queue, context.attempts) == ("shop.bills", "shop.bills", 2)
    assert context.is_redelivered
    assert repr(context) == "<Context shop.bills Bill m1>"


def test_a_handler_can_see_how_much_time_is_left_and_ask_for_more() -> None:
    clock, worker = VirtualClock(100.0), Worker()
    context = Context(FakeReceived(), "shop.bills", worker, clock)
    assert context.time_left == inf
    worker.deadline = 130.0
    clock.advance(10)
    assert context.time_left == 20.0
    context.extend(15.0)
    assert context.time_left == 20.0
    context.extend(60.0)
    assert context.time_left == 60.0
