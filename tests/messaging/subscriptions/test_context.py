from __future__ import annotations

import asyncio
from math import inf

from penstock.clock import VirtualClock
from penstock.messaging import Message
from penstock.messaging.subscriptions.context import Context
from penstock.messaging.subscriptions.worker import Worker
from tests.messaging.fakes import FakeReceived


def test_a_handler_is_told_the_circumstances() -> None:
    message = Message(body=b"", id="m1", type="Bill", headers={"x-penstock-attempts": 2}, reply_to="till")
    received = FakeReceived(message)
    received.redelivered = True
    context = Context(received, "shop.bills", Worker(), VirtualClock())
    assert context.message is message
    assert (context.consumer, context.queue, context.attempts) == ("shop.bills", "shop.bills", 2)
    assert context.is_redelivered
    assert context.wishes == ("till", None)
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


def test_a_handler_may_have_a_limit_of_its_own_and_leave_what_cannot_be_stopped() -> None:
    clock, worker, watched = VirtualClock(100.0), Worker(60.0), list[float]()
    worker._watch = watched.append
    worker.limit(clock.now())
    context = Context(FakeReceived(), "shop.bills", worker, clock)
    context.limit(5.0)
    assert (context.time_left, watched) == (5.0, [160.0, 105.0])
    thread: asyncio.Future[object] = asyncio.Future(loop=asyncio.new_event_loop())
    context.leave(thread)
    assert worker.leftover is thread
    thread.get_loop().close()
