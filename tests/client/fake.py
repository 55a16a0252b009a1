"""A broker made of frames: it hears what the client's bytes say, and says what a test wants it to.

It answers every question as a willing broker would, unless a test has put another answer, or none, in its
table. Nothing of the client is replaced: its bytes come in, bytes go out.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from penstock.client import ClientSettings
from penstock.client.connection import Connection
from penstock.client.counters import Counters
from penstock.client.url import BrokerUrl
from penstock.wire.amqp import BasicProperties, ServerDecoder, content_frames, method_frame
from penstock.wire.amqp.items import ACK, GREETING, METHOD, NACK, PUBLISH, REJECT
from penstock.wire.amqp.methods import (
    BasicAck,
    BasicCancel,
    BasicCancelOk,
    BasicConsume,
    BasicConsumeOk,
    BasicDeliver,
    BasicQos,
    BasicQosOk,
    ChannelClose,
    ChannelCloseOk,
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
    ExchangeDeclare,
    ExchangeDeclareOk,
    Method,
    QueueBind,
    QueueBindOk,
    QueueDeclare,
    QueueDeclareOk,
    QueueDelete,
    QueueDeleteOk,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    Answer = Callable[[Any], Method | None]

FRAME_MAX = 4096


class Wire(asyncio.Transport):
    """A transport that ends at the fake broker."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self.is_closing_now = False
        self.writes: list[bytes] = []

    def write(self, data: bytes | bytearray | memoryview) -> None:
        self.writes.append(bytes(data))
        self._session.hear(bytes(data))

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        """Nothing waits here."""

    def is_closing(self) -> bool:
        return self.is_closing_now

    def close(self) -> None:
        self.abort()

    def abort(self) -> None:
        if not self.is_closing_now:
            self.is_closing_now = True
            asyncio.get_running_loop().call_soon(self._session.protocol.connection_lost, None)


class Session:
    """The broker's end of one connection."""

    def __init__(self, broker: FakeBroker, protocol: asyncio.Protocol) -> None:
        self._broker = broker
        self.protocol = protocol
        self.wire = Wire(self)
        self._decoder = ServerDecoder()
        #: Everything said to the broker: (channel, method or item).
        self.heard: list[tuple[int, Any]] = []
        #: Bodies published, with the channel and number of each.
        self.published: list[tuple[int, Any]] = []

    def hear(self, data: bytes) -> None:
        item: Any
        for item in self._decoder.receive(data):
            if item[0] is GREETING:
                self.say(0, self._broker.start)
            elif item[0] is METHOD:
                self.heard.append((item[1], item[2]))
                answer = self._broker.answers.get(type(item[2]), lambda _method: None)(item[2])
                if answer is not None:
                    self.say(item[1], answer)
            elif item[0] is PUBLISH:
                self.published.append((item[1], item))
            elif item[0] in (ACK, NACK, REJECT):
                self.heard.append((item[1], item))

    def say(self, channel: int, *methods: Method) -> None:
        """In the next turn of the loop, as a socket would bring it."""
        data = b"".join(method_frame(channel, method) for method in methods)
        asyncio.get_running_loop().call_soon(self._bring, data)

    def say_content(
        self, channel: int, method: Method, body: bytes, properties: BasicProperties | None = None
    ) -> None:
        content = content_frames(channel, properties or BasicProperties.of(), body, FRAME_MAX)
        asyncio.get_running_loop().call_soon(self._bring, method_frame(channel, method) + content)

    def deliver(self, channel: int, first_tag: int, *bodies: bytes, **properties: Any) -> None:
        """Deliveries that come in one read."""
        frames = b"".join(
            method_frame(
                channel, BasicDeliver("tag", first_tag + n, redelivered=False, exchange="e", routing_key="k")
            )
            + content_frames(channel, BasicProperties.of(message_id=str(n), **properties), body, FRAME_MAX)
            for n, body in enumerate(bodies)
        )
        asyncio.get_running_loop().call_soon(self._bring, frames)

    def confirm(self, channel: int, tag: int, *, multiple: bool = False) -> None:
        self.say(channel, BasicAck(tag, multiple))

    def _bring(self, data: bytes) -> None:
        if not self.wire.is_closing_now:
            self.protocol.data_received(data)
            if ConnectionCloseOk.id.to_bytes(4, "big") in data[:12]:
                self.wire.abort()

    def methods(self, kind: type[Method]) -> list[Any]:
        return [method for _, method in self.heard if isinstance(method, kind)]

    @property
    def settled(self) -> list[tuple[Any, ...]]:
        return [item for _, item in self.heard if isinstance(item, tuple)]


class FakeBroker:
    """Dial it with `dial`. What it answers is the table `answers`; None is silence."""

    def __init__(self) -> None:
        self.sessions: list[Session] = []
        self.start = ConnectionStart(
            server_properties={"product": "Fake", "version": "1.2.3", "capabilities": {"basic.nack": True}}
        )
        #: Raised to the next ones who dial.
        self.refusals: list[Exception] = []
        self.named = 0
        self.answers: dict[type[Method], Answer] = {
            ConnectionStartOk: lambda _: ConnectionTune(10, FRAME_MAX, 0),
            ConnectionOpen: lambda _: ConnectionOpenOk(),
            ConnectionClose: lambda _: ConnectionCloseOk(),
            ChannelOpen: lambda _: ChannelOpenOk(),
            ChannelClose: lambda _: ChannelCloseOk(),
            ConfirmSelect: lambda _: ConfirmSelectOk(),
            BasicQos: lambda _: BasicQosOk(),
            BasicConsume: lambda consume: BasicConsumeOk(consume.consumer_tag or "tag"),
            BasicCancel: lambda cancel: BasicCancelOk(cancel.consumer_tag),
            ExchangeDeclare: lambda _: ExchangeDeclareOk(),
            QueueDeclare: self._declare,
            QueueDelete: lambda _: QueueDeleteOk(0),
            QueueBind: lambda _: QueueBindOk(),
        }

    def _declare(self, declare: Any) -> Method:
        self.named += not declare.queue
        return QueueDeclareOk(declare.queue or f"fake-{self.named}", 3, 1)

    async def dial(
        self, factory: Callable[[], asyncio.Protocol]
    ) -> tuple[asyncio.BaseTransport, asyncio.BaseProtocol]:
        if self.refusals:
            raise self.refusals.pop(0)
        session = Session(self, factory())
        self.sessions.append(session)
        session.protocol.connection_made(session.wire)
        return session.wire, session.protocol

    @property
    def session(self) -> Session:
        """The newest."""
        return self.sessions[-1]

    async def connection(self, settings: ClientSettings | None = None) -> Connection:
        """An open connection of a client to it."""
        connection = Connection(BrokerUrl(), settings or ClientSettings(), Counters(), "test")
        await self.dial(lambda: connection)
        await connection.opened
        return connection


async def turns(count: int = 10) -> None:
    """Let the loop go round a few times: all that is under way in memory arrives."""
    for _ in range(count):
        await asyncio.sleep(0)
