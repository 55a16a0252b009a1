from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Self

import pytest

from penstock.client import ClientSettings
from penstock.client.counters import Counters
from penstock.client.link import Link
from penstock.client.publisher import Publisher
from penstock.client.road import Road
from penstock.clock import VirtualClock
from penstock.errors import NotConnected, PublishRefused, PublishTimeout
from penstock.wire.amqp import CannotEncode, body_of
from penstock.wire.amqp.methods import ConnectionBlocked, ConnectionOpen, ConnectionUnblocked
from tests.client.fake import FakeBroker, turns
from tests.client.support import story, to

if TYPE_CHECKING:
    from tests.client.fake import Session


class Scene:
    """A publisher at a fake broker, with a clock that stands."""

    def __init__(self, **settings: Any) -> None:
        self.broker = FakeBroker()
        self.clock = VirtualClock()
        self.counters = Counters()
        chosen = ClientSettings(**settings)
        road = Road(["amqp://one"], self.broker.dial, chosen, self.counters)
        self.link = Link("test", road, chosen, self.counters, self.clock)
        self.publisher = Publisher(self.link, chosen, self.counters, self.clock)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        self.publisher.stop()
        await self.link.close(1)

    @property
    def session(self) -> Session:
        return self.broker.session

    @property
    def bodies(self) -> list[bytes]:
        return [body_of(item[4]) for _, item in self.session.published]

    async def advance(self, seconds: float) -> None:
        await turns()
        self.clock.advance(seconds)
        await turns()


@story
async def test_the_first_publish_opens_the_connection_and_waits_for_it() -> None:
    async with Scene() as scene:
        published = scene.publisher.publish(to("q"), None)
        await turns(20)
        assert scene.bodies == [b"hello"]
        assert not published.done()
        scene.session.confirm(1, 1)
        await published
        assert scene.publisher.is_idle
        assert "0 waiting" in repr(scene.publisher)


@story
async def test_a_batch_is_one_write_and_one_wait() -> None:
    async with Scene() as scene:
        many = asyncio.ensure_future(scene.publisher.publish_many([to("q")] * 3, None))
        await turns(20)
        scene.session.confirm(1, 3, multiple=True)
        assert await many == [None, None, None]
        assert await scene.publisher.publish_many([], None) == []


@story
async def test_every_publish_has_a_deadline() -> None:
    async with Scene(publish_timeout=10) as scene:
        slow, quick = scene.publisher.publish(to("q"), None), scene.publisher.publish(to("q"), 1)
        await scene.advance(0.9)
        assert not quick.done()
        await scene.advance(0.1)
        with pytest.raises(PublishTimeout, match="no confirm came in time"):
            await quick
        await scene.advance(9)
        with pytest.raises(PublishTimeout):
            await slow
        assert scene.counters.timed_out == 2


@story
async def test_without_a_connection_it_waits_until_its_deadline() -> None:
    async with Scene() as scene:
        scene.broker.answers[ConnectionOpen] = lambda _: None
        many = asyncio.ensure_future(scene.publisher.publish_many([to("q"), to("q")], 1))
        single = scene.publisher.publish(to("q"), 2)
        await scene.advance(1)
        assert [str(error) for error in await many] == ["not sent in time: not connected to the broker"] * 2
        assert not single.done()
        single.cancel()
        await scene.advance(1)


@story
async def test_a_blocked_broker_gets_nothing_until_it_unblocks() -> None:
    async with Scene() as scene:
        first = scene.publisher.publish(to("q", b"1"), None)
        await turns(20)
        scene.session.confirm(1, 1)
        await first
        changes: list[str] = []
        scene.publisher.on_change = lambda: changes.append("changed")
        scene.session.say(0, ConnectionBlocked("low on memory"))
        await turns()
        impatient, patient = (
            scene.publisher.publish(to("q", b"2"), 1),
            scene.publisher.publish(to("q", b"3"), 5),
        )
        await scene.advance(1)
        with pytest.raises(PublishTimeout, match="takes no publishes: low on memory"):
            await impatient
        assert scene.bodies == [b"1"]
        scene.session.say(0, ConnectionUnblocked())
        await turns()
        assert scene.bodies == [b"1", b"3"]
        scene.session.confirm(1, 2)
        await patient


@story
async def test_a_broker_that_does_not_read_is_waited_for_in_order() -> None:
    async with Scene() as scene:
        publisher = scene.publisher
        futures = [publisher.publish(to("q", b"1"), None)]
        await turns(20)
        assert scene.link.connection is not None
        scene.link.connection.pause_writing()
        futures += [publisher.publish(to("q", body), 5) for body in (b"2", b"given up", b"3")]
        futures[2].cancel()
        late = publisher.publish(to("q"), 1)
        await scene.advance(1)
        with pytest.raises(PublishTimeout, match="does not keep up"):
            await late
        scene.link.connection.resume_writing()
        await turns()
        assert scene.bodies == [b"1", b"2", b"3"]
        scene.session.confirm(1, 3, multiple=True)
        await asyncio.gather(futures[0], futures[1], futures[3])


@story
async def test_more_than_the_window_waits_for_confirms() -> None:
    async with Scene(publisher_channels=1, publish_window=2) as scene:
        futures = [scene.publisher.publish(to("q", b"%d" % number), None) for number in range(5)]
        await turns(20)
        assert scene.bodies == [b"0", b"1"]
        scene.session.confirm(1, 2, multiple=True)
        await turns()
        assert scene.bodies == [b"0", b"1", b"2", b"3"]
        scene.session.confirm(1, 4, multiple=True)
        await turns()
        scene.session.confirm(1, 5)
        await asyncio.gather(*futures)


@story
async def test_what_cannot_be_encoded_is_the_callers_at_once_or_after_a_wait() -> None:
    async with Scene() as scene:
        waited = scene.publisher.publish(to("q" * 256), None)
        good = scene.publisher.publish(to("q"), None)
        with pytest.raises(CannotEncode):
            await waited
        await turns(20)
        scene.session.confirm(1, 1)
        await good
        with pytest.raises(CannotEncode):
            await scene.publisher.publish(to("q" * 256), None)


@story
async def test_a_body_that_is_no_bytes_is_the_callers_after_a_wait_and_ends_no_connection() -> None:
    async with Scene() as scene:
        text: Any = "text"
        waited, good = scene.publisher.publish(to("q", text), None), scene.publisher.publish(to("q"), None)
        with pytest.raises(TypeError):
            await waited
        await turns(20)
        scene.session.confirm(1, 1)
        await good


@story
async def test_of_many_the_one_that_cannot_be_encoded_keeps_no_other_back() -> None:
    async with Scene() as scene:
        messages = [to("q", b"0"), to("q" * 256), to("q", b"2")]
        publishing = asyncio.gather(
            *[scene.publisher.publish(each, None) for each in messages], return_exceptions=True
        )
        await turns(20)
        scene.session.confirm(1, 2, multiple=True)
        assert [type(fate) for fate in await publishing] == [type(None), CannotEncode, type(None)]
        assert scene.bodies == [b"0", b"2"]


@story
async def test_of_a_batch_only_what_cannot_be_encoded_is_refused() -> None:
    async with Scene() as scene:
        messages = [to("q", b"0"), to("q" * 256), to("q", b"2"), to("q", b"3")]
        publishing = asyncio.ensure_future(scene.publisher.publish_many(messages, None))
        for number in (1, 3):
            await turns(20)
            scene.session.confirm(1, number, multiple=True)
        fates = await publishing
        assert [type(fate) for fate in fates] == [type(None), PublishRefused, type(None), type(None)]
        assert "no place on the wire" in str(fates[1])
        assert scene.bodies == [b"0", b"2", b"3"]


@story
async def test_without_hope_of_a_connection_it_is_said_at_once() -> None:
    async with Scene(reconnect_max_retries=0) as scene:
        scene.broker.refusals = [OSError("down")]
        waiting = scene.publisher.publish(to("q"), None)
        with pytest.raises(NotConnected, match="down"):
            await waiting
        with pytest.raises(NotConnected, match="down"):
            await scene.publisher.publish(to("q"), None)


@story
async def test_a_closed_publisher_takes_nothing_and_a_stopped_one_waits_for_nothing() -> None:
    async with Scene() as scene:
        waiting = scene.publisher.publish(to("q"), None)
        scene.publisher.close()
        with pytest.raises(NotConnected, match="closed"):
            await scene.publisher.publish(to("q"), None)
        scene.publisher.stop()
        with pytest.raises(NotConnected, match="closed"):
            await waiting
