from __future__ import annotations

import asyncio

import pytest

from penstock.client import ClientSettings
from penstock.client.counters import Counters
from penstock.client.keeping import KeptConnection
from penstock.clock import VirtualClock
from penstock.errors import ClientError, NotConnected
from tests.client.fake import turns
from tests.client.support import story


class Socket:
    """A connection of no protocol at all."""

    def __init__(self) -> None:
        self.is_open = True
        self.lost: asyncio.Future[ClientError] = asyncio.get_running_loop().create_future()

    def abort(self, reason: str) -> None:
        self.is_open = False
        self.lost.set_result(NotConnected(reason))

    async def close(self, timeout: float) -> None:  # noqa: ASYNC109 (the port's)
        self.is_open = False


class Road:
    """Opens sockets, and remembers them."""

    def __init__(self) -> None:
        self.opened: list[Socket] = []

    async def open(self, name: str) -> Socket:
        self.opened.append(Socket())
        return self.opened[-1]


@story
async def test_any_connection_can_be_kept() -> None:
    road, clock, counters = Road(), VirtualClock(), Counters()
    settings = ClientSettings(backoff_initial=1, backoff_jitter=0)
    kept: KeptConnection[Socket] = KeptConnection("test", road, settings, counters, clock)
    kept.start()
    assert await kept.ready() is road.opened[0]
    assert "<KeptConnection test, " in repr(kept)
    road.opened[0].abort("cut")
    await turns(20)
    assert not kept.is_up
    clock.advance(1)
    await turns(20)
    assert await kept.ready() is road.opened[1]
    assert counters.disconnected == 1
    await kept.close(0)
    with pytest.raises(NotConnected, match="closed"):
        await kept.ready()


@story
async def test_one_that_cannot_be_prepared_is_dropped_and_tried_again() -> None:
    road, clock = Road(), VirtualClock()
    settings = ClientSettings(backoff_initial=1, backoff_jitter=0, connect_max_retries=1)
    kept: KeptConnection[Socket] = KeptConnection("test", road, settings, Counters(), clock)

    async def refuse(_: Socket) -> None:
        raise NotConnected("not like that")

    kept.prepare = refuse
    kept.start()
    await turns(20)
    clock.advance(1)
    with pytest.raises(NotConnected, match="not like that"):
        await kept.ready()
    assert [socket.is_open for socket in road.opened] == [False, False]
