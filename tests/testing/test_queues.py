from __future__ import annotations

import asyncio

import pytest

from penstock.errors import UnknownQueue
from penstock.testing import broker
from penstock.wire.amqp.methods import BasicGet
from tests.server.peer import Peer


def test_a_queue_shows_what_is_in_it_and_where_it_stands() -> None:
    async def story() -> None:
        async with broker() as controlled:
            peer = await Peer.enter(controlled.dial)
            await peer.declare("q")
            peer.publish("q", b"first", headers={"a": 1}, message_id="m1")
            peer.publish("q", b"second")
            peer.publish("q", b"later", headers={"x-delay": 1000})
            peer.say(BasicGet("q"))
            await controlled.settled()
            queue = controlled.queue("q")
            assert (queue.name, queue.depth, queue.consumers) == ("q", 3, 0)
            assert queue.bodies == [b"first", b"second", b"later"]
            assert [message.state for message in queue.messages] == ["held", "ready", "delayed"]
            assert [queue.count(state) for state in ("ready", "held", "buried")] == [1, 1, 0]
            first, second, _ = queue.messages
            assert (first.exchange, first.routing_key, first.headers["a"]) == ("", "q", 1)
            assert (first.properties.message_id, first.redelivered) == ("m1", 0)
            assert second.headers == {}
            # What was seen stays as it was.
            controlled.cut()
            await controlled.settled()
            assert queue.count("held") == 1
            assert [message.redelivered for message in controlled.queue("q").messages] == [1, 0, 0]

    asyncio.run(story())


def test_a_queue_that_is_not_there_cannot_be_seen() -> None:
    async def story() -> None:
        async with broker() as controlled:
            with pytest.raises(UnknownQueue):
                controlled.queue("q")

    asyncio.run(story())
