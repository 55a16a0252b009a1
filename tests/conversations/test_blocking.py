"""A broker that is short of memory says so, and takes no more from whoever publishes."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from tests.conversations.line import CAPABILITIES, dial

if TYPE_CHECKING:
    from tests.servers.running import Running


def test_a_publisher_is_told_that_it_is_blocked(broker_under_alarm: Running) -> None:
    with dial(broker_under_alarm) as line:
        channel = line.channel()
        channel.call("confirm.select")
        channel.publish("hello", "k")
        assert line.expect("connection.blocked").reason.startswith("low on ")
        assert not line.inbox[1]  # not confirmed


def test_who_does_not_publish_is_not_blocked(broker_under_alarm: Running) -> None:
    with dial(broker_under_alarm) as line:
        channel = line.channel()
        queue = channel.queue()
        channel.consume(queue)
        assert channel.pending(queue) == []
        assert not line.inbox[0]


def test_who_cannot_hear_it_is_blocked_all_the_same(broker_under_alarm: Running) -> None:
    with dial(broker_under_alarm, capabilities=CAPABILITIES | {"connection.blocked": False}) as line:
        channel = line.channel()
        channel.publish("hello", "k")
        channel.send("channel.flow", active=True)
        assert line.read(until=time.monotonic() + 0.3) is False
