"""Signs of life in both directions, and what happens without."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from tests.conversations.line import PATIENCE_S, Line, dial

if TYPE_CHECKING:
    from tests.servers.running import Running


def test_a_silent_broker_sends_heartbeats(broker: Running) -> None:
    with dial(broker, heartbeat=1) as line:
        until = time.monotonic() + PATIENCE_S
        while line.heartbeats < 2:
            line.send_heartbeat()
            assert line.read(until=until), "no heartbeat came"


def test_without_an_agreement_no_heartbeats_are_sent(line: Line) -> None:
    assert line.read(until=time.monotonic() + 1.2) is False


def test_a_client_that_falls_silent_is_hung_up_on(broker: Running) -> None:
    with dial(broker, heartbeat=1) as line:
        # Two intervals without anything from us; the broker says nothing but heartbeats before.
        line.must_hang_up()


def test_any_frame_is_a_sign_of_life(broker: Running) -> None:
    with dial(broker, heartbeat=2) as line:
        channel = line.channel()
        # Longer than the two intervals after which a silent one is hung up on; each pause is much shorter.
        until = time.monotonic() + 5
        while time.monotonic() < until:
            assert channel.is_still_open()
            time.sleep(0.2)


def test_a_message_of_a_client_that_fell_silent_goes_back(broker: Running, name: str) -> None:
    with dial(broker) as steady, dial(broker, heartbeat=1) as silent:
        mine, theirs = steady.channel(), silent.channel()
        mine.queue(name, exclusive=False)
        mine.publish("kept", name)
        mine.wait_for_count(name, 1)
        assert theirs.get(name, no_ack=False).redelivered is False
        silent.must_hang_up()
        assert mine.get_soon(name).redelivered is True
