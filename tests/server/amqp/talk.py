"""A broker and its AMQP clients in one process: real frames both ways, no socket, and a clock that stands."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, NamedTuple

from penstock.broker import Broker
from penstock.clock import VirtualClock
from penstock.server.access import Access
from penstock.server.amqp.bodies import LargeBodies
from penstock.server.amqp.form import AmqpForm, LargeAmqpForm
from penstock.server.amqp.front import AmqpFront
from penstock.server.amqp.session import AmqpSession
from penstock.server.beanstalk.form import JobForm
from penstock.settings import Settings
from penstock.store import MemoryStore
from penstock.wire.amqp import BasicProperties, ClientDecoder, Limits, content_frames, method_frame
from penstock.wire.amqp.constants import PROTOCOL_HEADER
from penstock.wire.amqp.content import body_of
from penstock.wire.amqp.items import ACK, DELIVER, GET_OK, METHOD, NACK, RETURN
from penstock.wire.amqp.methods import (
    BasicAck,
    BasicDeliver,
    BasicNack,
    BasicPublish,
    ChannelClose,
    ChannelOpen,
    ConnectionClose,
    ConnectionOpen,
    ConnectionStartOk,
    ConnectionTuneOk,
    Method,
)
from penstock.wiring import Defaults

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from penstock.broker import Form
    from penstock.server.amqp.channel import Channel


class Heard(NamedTuple):
    """What a client was told: a method, and its content if it has one."""

    method: Any
    content: BasicProperties | None = None
    body: bytes = b""

    @property
    def headers(self) -> dict[str, Any]:
        return dict((self.content.headers if self.content else None) or {})


class Wire(asyncio.Transport):
    """A transport that ends in a list."""

    def __init__(self) -> None:
        super().__init__({"peername": ("127.0.0.1", 5)})
        self.session: AmqpSession
        self.written: list[bytes] = []
        #: Of how many pieces each write was.
        self.pieces: list[int] = []
        self.is_over = False
        self.reads = True
        #: Bytes the client does not take.
        self.unsent = 0

    def write(self, data: Any) -> None:
        assert not self.is_over
        self.written.append(bytes(data))

    def writelines(self, list_of_data: Iterable[Any]) -> None:
        pieces = list(list_of_data)
        self.pieces.append(len(pieces))
        self.write(b"".join(pieces))

    def is_closing(self) -> bool:
        return self.is_over

    def close(self) -> None:
        if not self.is_over:
            self.is_over = True
            self.session.connection_lost(None)

    def can_write_eof(self) -> bool:
        return True

    def write_eof(self) -> None:
        """The client hears that this was all, and hangs up."""
        self.close()

    abort = close

    def pause_reading(self) -> None:
        self.reads = False

    def resume_reading(self) -> None:
        self.reads = True

    def get_write_buffer_size(self) -> int:
        return self.unsent

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None: ...


class World:
    """A broker; its event loop runs only in here, while somebody waits for an answer."""

    def __init__(self, folder: Path, *, wiring: Any = None, **settings: Any) -> None:
        self.loop = asyncio.new_event_loop()
        self.clock = VirtualClock(1_000_000.0)
        self.store = MemoryStore()
        self.settings = Settings(**settings)
        bodies = LargeBodies(self.store.contents)
        defaults = Defaults.from_tables(wiring or {})
        forms: list[Form] = [AmqpForm(), LargeAmqpForm(bodies), JobForm()]
        self.broker = Broker(self.clock, self.store, defaults=defaults, forms=forms)
        self.access = Access.open(self.settings, self.broker, self.store)
        self.front = AmqpFront(self.broker, self.settings, self.access, bodies)
        self.host = self.broker.hosts["/"]

    def run(self, work: Callable[[], Any]) -> Any:
        """Do something in the loop, and all that follows from it."""

        async def step() -> Any:
            done = work()
            await self._rest()
            return done

        return self.loop.run_until_complete(step())

    async def _rest(self) -> None:
        await asyncio.sleep(0)
        for _ in range(2000):
            others = asyncio.all_tasks() - {asyncio.current_task()}
            if not (self.broker.writer._is_writing or others):
                break
            # Threads set no event for us; a task that waits for the client is left to wait.
            await asyncio.sleep(0.001)
        await asyncio.sleep(0)

    def until(self, condition: Callable[[], Any]) -> None:
        """Let the loop, and the threads beside it, go on until something is so."""

        async def wait() -> None:
            for _ in range(5000):
                if condition():
                    return
                await asyncio.sleep(0.002)
            raise AssertionError("waited in vain")

        self.loop.run_until_complete(wait())

    def advance(self, seconds: float) -> None:
        """Let time pass."""
        self.clock.advance(seconds)
        self.run(self.broker._tick)

    def client(self, user: str = "guest", vhost: str = "/", **capabilities: bool) -> Client:
        """A client that is in."""
        client = Client(self)
        client.greet(user, **capabilities)
        client.say(ConnectionTuneOk(2047, 131_072, 0), ConnectionOpen(vhost), channel=0)
        assert client.session.is_open, client.wire.written
        client.open(1)
        return client

    def close(self) -> None:
        async def end() -> None:
            self.front.bodies.close()
            await self.broker.close()

        self.loop.run_until_complete(end())
        self.loop.close()


class Client:
    """One connection, and by default its first channel."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.wire = Wire()
        self.session = AmqpSession(world.front)
        self.wire.session = self.session
        world.run(lambda: self.session.connection_made(self.wire))
        self.decoder = ClientDecoder(Limits(channel_max=0, piece_from=1 << 30))

    def greet(self, user: str = "guest", **capabilities: bool) -> list[Heard]:
        """From the protocol header to connection.tune; the password is the user's name."""
        self.send_bytes(PROTOCOL_HEADER)
        about: Any = {"capabilities": {"authentication_failure_close": True, **capabilities}}
        response = f"\0{user}\0{user}".encode()
        return self.say(ConnectionStartOk(about, "PLAIN", response), channel=0)

    def channel(self, number: int = 1) -> Channel:
        """The server's end of a channel."""
        return self.session.channels[number]

    def open(self, number: int) -> None:
        self.say(ChannelOpen(), channel=number)

    # Saying and hearing

    def send_bytes(self, data: bytes) -> list[Heard]:
        self.world.run(lambda: self.session.data_received(data))
        return self.hear()

    def say(self, *methods: Method, channel: int = 1) -> list[Heard]:
        """Say something in one go; what comes back, on any channel."""
        return self.send_bytes(b"".join(method_frame(channel, method) for method in methods))

    def ask(self, *methods: Method, channel: int = 1) -> Any:
        """Say something that has one answer."""
        (heard,) = self.say(*methods, channel=channel)
        return heard.method

    def refused(self, *methods: Method, channel: int = 1) -> tuple[int, str]:
        """Say something that closes the channel, or the connection; code and text."""
        return self.told(self.say(*methods, channel=channel))

    def told(self, heard: list[Heard]) -> tuple[int, str]:
        """The code and text of a close, the last thing that was heard."""
        close = heard[-1].method
        assert isinstance(close, ChannelClose | ConnectionClose), heard
        return close.reply_code, close.reply_text

    def publish(
        self,
        body: bytes = b"",
        key: str = "",
        exchange: str = "",
        *,
        channel: int = 1,
        mandatory: bool = False,
        immediate: bool = False,
        **properties: Any,
    ) -> list[Heard]:
        method = BasicPublish(exchange, key, mandatory, immediate)
        content = content_frames(channel, BasicProperties.of(**properties), body, 131_072)
        return self.send_bytes(method_frame(channel, method) + content)

    def hear_in_time(self, heard: list[Heard], count: int = 1) -> list[Heard]:
        """What was heard, once it is so much: what threads do is not done when `say` returns."""

        def is_enough() -> bool:
            heard.extend(self.hear())
            return len(heard) >= count

        self.world.until(is_enough)
        return heard

    def hear(self) -> list[Heard]:
        """What was written since."""
        data, self.wire.written[:] = b"".join(self.wire.written), []
        return [_heard(item) for item in self.decoder.receive(data)]


def _heard(item: Any) -> Heard:
    kind = item[0]
    if kind is METHOD:
        return Heard(item[2])
    if kind is ACK:
        return Heard(BasicAck(item[2], item[3]))
    if kind is NACK:
        return Heard(BasicNack(item[2], item[3], item[4]))
    if kind is DELIVER:
        _, _, to, tag, content, frames, _ = item
        method = BasicDeliver(to.consumer_tag, tag, to.redelivered, to.exchange, to.routing_key)
        return Heard(method, content, body_of(frames))
    assert kind in (GET_OK, RETURN), item
    return Heard(item[2], item[3], body_of(item[4]))
