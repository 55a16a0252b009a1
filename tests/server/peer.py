"""An AMQP client of a few lines on a real socket, for tests of what is below any client of ours."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, TypeVar

from penstock.wire.amqp import BasicProperties, ClientDecoder, Limits, body_of, content_frames, method_frame
from penstock.wire.amqp.constants import PROTOCOL_HEADER
from penstock.wire.amqp.items import ACK, DELIVER, METHOD
from penstock.wire.amqp.methods import (
    BasicPublish,
    ChannelOpen,
    ChannelOpenOk,
    ConfirmSelect,
    ConfirmSelectOk,
    ConnectionClose,
    ConnectionCloseOk,
    ConnectionOpen,
    ConnectionOpenOk,
    ConnectionStart,
    ConnectionStartOk,
    ConnectionTune,
    ConnectionTuneOk,
    Method,
    QueueDeclare,
    QueueDeclareOk,
)

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

M = TypeVar("M", bound=Method)


async def until(condition: Callable[[], object]) -> None:
    """Let the loop, and the threads beside it, go on until something is so."""
    async with asyncio.timeout(60):
        while not condition():  # noqa: ASYNC110 (threads set no event)
            await asyncio.sleep(0.001)


class Peer(asyncio.Protocol):
    """One connection with one channel, in confirm mode; answers and confirms are waited for."""

    def __init__(self) -> None:
        self.transport: asyncio.Transport
        self.heard: asyncio.Queue[Any] = asyncio.Queue()
        #: Bodies that came, with their tags.
        self.delivered: list[tuple[int, bytes]] = []
        self.confirmed = 0
        self.sent = 0
        self.lost = asyncio.Event()
        self._decoder = ClientDecoder(Limits(channel_max=0, piece_from=1 << 30))

    @classmethod
    async def enter(
        cls, dial: Callable[..., Awaitable[tuple[Any, Any]]], user: str = "guest", vhost: str = "/"
    ) -> Peer:
        """A client that is in; its password is its name."""
        _, peer = await dial(cls)
        assert isinstance(peer, Peer)
        peer.transport.write(PROTOCOL_HEADER)
        await peer.hear(ConnectionStart)
        about: Any = {"capabilities": {"authentication_failure_close": True}}
        await peer.ask(
            ConnectionTune, ConnectionStartOk(about, "PLAIN", f"\0{user}\0{user}".encode()), channel=0
        )
        await peer.ask(ConnectionOpenOk, ConnectionTuneOk(2047, 131_072, 0), ConnectionOpen(vhost), channel=0)
        await peer.ask(ChannelOpenOk, ChannelOpen())
        await peer.ask(ConfirmSelectOk, ConfirmSelect())
        return peer

    # The socket

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport  # type: ignore[assignment]

    def data_received(self, data: bytes) -> None:
        for item in self._decoder.receive(data):
            if item[0] is METHOD:
                self.heard.put_nowait(item[2])
            elif item[0] is ACK:
                self.confirmed = item[2]
            elif item[0] is DELIVER:
                self.delivered.append((item[3], body_of(item[5])))

    def connection_lost(self, exc: Exception | None) -> None:
        self.lost.set()

    # Saying and hearing

    def say(self, *methods: Method, channel: int = 1) -> None:
        self.transport.write(b"".join(method_frame(channel, method) for method in methods))

    async def hear(self, kind: type[M]) -> M:
        """The next method, which has to be of this kind."""
        heard = await asyncio.wait_for(self.heard.get(), 60)
        assert isinstance(heard, kind), heard
        return heard

    async def ask(self, kind: type[M], *methods: Method, channel: int = 1) -> M:
        self.say(*methods, channel=channel)
        return await self.hear(kind)

    async def declare(self, name: str, **arguments: Any) -> QueueDeclareOk:
        return await self.ask(QueueDeclareOk, QueueDeclare(name, durable=True, arguments=arguments))

    def publish(self, key: str, body: bytes, **properties: Any) -> None:
        """Persistent unless said otherwise; `confirmed` counts up to `sent` when it is safe."""
        content = BasicProperties.of(**{"delivery_mode": 2, **properties})
        frames = content_frames(1, content, body, 131_072)
        self.transport.write(method_frame(1, BasicPublish("", key)) + frames)
        self.sent += 1

    async def leave(self) -> None:
        await self.ask(ConnectionCloseOk, ConnectionClose(200, "bye", 0, 0), channel=0)
        self.transport.close()
        await asyncio.wait_for(self.lost.wait(), 60)
