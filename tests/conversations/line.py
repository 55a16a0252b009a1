"""A line to a broker, with nothing between the test and the frames: sends what it is told, hides nothing.

Every wait has an end, and says what came instead. Knows no broker in particular.
"""

from __future__ import annotations

import contextlib
import socket
import struct
import time
from collections import defaultdict, deque
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, Self

from tests.conversations import codec

if TYPE_CHECKING:
    from tests.conversations.codec import Method
    from tests.servers.running import Running

PREAMBLE: Final = b"AMQP\x00\x00\x09\x01"

#: Seconds a broker gets for an answer; it needs milliseconds, unless the machine is busy.
PATIENCE_S: Final = 60.0

#: What a client can tell of itself; RabbitMQ behaves differently towards one that cannot do these.
CAPABILITIES: Final = {
    "publisher_confirms": True,
    "exchange_exchange_bindings": True,
    "basic.nack": True,
    "consumer_cancel_notify": True,
    "connection.blocked": True,
    "authentication_failure_close": True,
}


class HungUp(Exception):
    """The broker closed the socket."""


class Line:
    """A socket with frames on it, sorted by channel. Made by `dial`, or step by step for a bad handshake."""

    def __init__(self, broker: Running) -> None:
        self.broker = broker
        self.socket = socket.create_connection((broker.host, broker.port), timeout=PATIENCE_S)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.frame_max = 131_072
        self.inbox: dict[int, deque[Method]] = defaultdict(deque)
        self.heartbeats = 0
        self._bytes = bytearray()
        self._open: dict[int, Method] = {}  # methods whose content is still coming
        self._sizes: dict[int, int] = {}
        self._channels = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.hang_up()

    def hang_up(self) -> None:
        """Close the socket, whatever the broker may think of it."""
        self.socket.close()

    # Sending

    def send_bytes(self, data: bytes) -> None:
        self.socket.settimeout(PATIENCE_S)  # the last read may have had less
        self.socket.sendall(data)

    def send(self, name: str, *, channel: int = 0, **arguments: Any) -> None:
        self.send_bytes(codec.method_frame(channel, name, arguments))

    def send_heartbeat(self) -> None:
        self.send_bytes(codec.frame(codec.HEARTBEAT, 0, b""))

    # The handshake

    def greet(self) -> Method:
        """Send the protocol header; the broker's connection.start."""
        self.send_bytes(PREAMBLE)
        return self.expect("connection.start")

    def log_in(
        self,
        user: str = "guest",
        password: str = "guest",  # noqa: S107  everyone knows it
        *,
        capabilities: dict[str, Any] = CAPABILITIES,
        mechanism: str = "PLAIN",
        response: bytes | None = None,
    ) -> None:
        self.send(
            "connection.start-ok",
            about={"product": "conversation", "capabilities": capabilities},
            mechanism=mechanism,
            response=f"\0{user}\0{password}" if response is None else response,
            locale="en_US",
        )

    def tune(self, *, channel_max: int = 2047, frame_max: int = 131_072, heartbeat: int = 0) -> Method:
        """Wait for the broker's limits and answer with these; what the broker offered."""
        offered = self.expect("connection.tune")
        self.send("connection.tune-ok", channel_max=channel_max, frame_max=frame_max, heartbeat=heartbeat)
        self.frame_max = frame_max or 131_072
        return offered

    def open_vhost(self, vhost: str = "/") -> None:
        self.send("connection.open", vhost=vhost)
        self.expect("connection.open-ok")

    # Receiving

    def expect(self, *names: str, channel: int = 0) -> Method:
        """The next method on the channel, which must be one of these."""
        found = self.next(channel=channel, waiting_for=" or ".join(names))
        assert found.name in names, f"expected {' or '.join(names)}, got {found}"
        return found

    def next(self, *, channel: int = 0, waiting_for: str = "anything") -> Method:
        until = time.monotonic() + PATIENCE_S
        while not self.inbox[channel]:
            if channel and (closed := self.maybe_closed()):
                raise AssertionError(f"waited for {waiting_for} on channel {channel}, got {closed}")
            if not self.read(until=until):
                raise AssertionError(f"waited for {waiting_for} on channel {channel}, nothing came")
        return self.inbox[channel].popleft()

    def maybe_closed(self) -> Method | None:
        """The broker's connection.close, if it has come; it stays to be expected."""
        return next((method for method in self.inbox[0] if method.name == "connection.close"), None)

    def closed_by_broker(self, *, leaving: bool = False) -> tuple[int, str]:
        """Wait for the broker's connection.close and agree to it; its code and text.

        Args:
            leaving: Say nothing more. A broker that cannot make sense of what it hears any more does not hear
                that we agree either, and would wait for seconds.
        """
        while (method := self.next(waiting_for="connection.close")).name != "connection.close":
            pass
        self.send("connection.close-ok")
        if leaving:
            with contextlib.suppress(OSError):  # it was faster
                self.socket.shutdown(socket.SHUT_WR)
        self.must_hang_up()
        return method.code, method.text

    def ending(self) -> object:
        """The code of the broker's connection.close, or "hung up" if it gave none."""
        try:
            return self.closed_by_broker()[0]
        except HungUp:
            return "hung up"

    def must_hang_up(self) -> None:
        """The broker must close the socket, and say nothing more but heartbeats."""
        until = time.monotonic() + PATIENCE_S
        with contextlib.suppress(HungUp):
            while self.read(until=until):
                pass
            raise AssertionError("the broker did not close the socket")
        assert not self.inbox[0], f"the broker still said {self.inbox[0]}"

    def read(self, *, until: float) -> bool:
        """Sort one frame in; False if none came in time.

        Raises:
            HungUp: the socket was closed by the broker.
        """
        while (size := self._size_of_frame()) is None:
            self.socket.settimeout(max(until - time.monotonic(), 0.001))
            try:
                received = self.socket.recv(1 << 20)
            except TimeoutError:
                return False
            except ConnectionError:
                received = b""
            if not received:
                raise HungUp
            self._bytes += received
        kind, channel, _ = struct.unpack_from(">BHL", self._bytes)
        assert self._bytes[size - 1 : size] == codec.FRAME_END, (
            f"no frame end in {bytes(self._bytes[:size])!r}"
        )
        payload = bytes(self._bytes[7 : size - 1])
        del self._bytes[:size]
        self._sort_in(kind, channel, payload)
        return True

    def _size_of_frame(self) -> int | None:
        if len(self._bytes) < 7:
            return None
        size = 8 + int(struct.unpack_from(">L", self._bytes, 3)[0])
        assert size <= self.frame_max, f"a frame of {size} bytes came, {self.frame_max} was agreed"
        return size if len(self._bytes) >= size else None

    def _sort_in(self, kind: int, channel: int, payload: bytes) -> None:
        if kind == codec.HEARTBEAT:
            self.heartbeats += 1
            return
        if kind == codec.METHOD:
            method = codec.read_method(payload)
            if method.name in codec.WITH_CONTENT:
                self._open[channel] = method
                return
        elif kind == codec.HEADER:
            self._sizes[channel], properties, tagged = codec.read_header(payload)
            method = replace(
                self._open[channel], properties=properties, tagged=tagged, raw=bytes(payload[12:])
            )
        else:
            method = self._open[channel]
            method = replace(method, body=method.body + payload, pieces=(*method.pieces, len(payload)))
        if kind != codec.METHOD:
            self._open[channel] = method
            if len(method.body) < self._sizes[channel]:
                return
            del self._open[channel]
        self.inbox[channel].append(method)

    # Channels

    def channel(self) -> Channel:
        """Open the next channel."""
        self._channels += 1
        channel = Channel(self, self._channels)
        channel.call("channel.open")
        return channel

    def close(self) -> None:
        """Take leave as the standard says."""
        self.send("connection.close", code=200, text="goodbye")
        while self.next(waiting_for="connection.close-ok").name != "connection.close-ok":
            pass
        self.hang_up()


def dial(
    broker: Running,
    *,
    user: str = "guest",
    vhost: str = "/",
    capabilities: dict[str, Any] = CAPABILITIES,
    **limits: int,
) -> Line:
    """A line that is ready for channels; the password is the user's name."""
    line = Line(broker)
    try:
        line.greet()
        line.log_in(user, user, capabilities=capabilities)
        line.tune(**limits)
        line.open_vhost(vhost)
    except BaseException:
        line.hang_up()
        raise
    return line


class Channel:
    """A channel of a line."""

    def __init__(self, line: Line, number: int) -> None:
        self.line = line
        self.number = number
        self.confirms = False

    def send(self, name: str, **arguments: Any) -> None:
        self.line.send(name, channel=self.number, **arguments)

    def expect(self, *names: str) -> Method:
        return self.line.expect(*names, channel=self.number)

    def call(self, name: str, **arguments: Any) -> Method:
        """Send a method that is answered, and return the answer, which must be the next thing to come."""
        self.send(name, **arguments)
        return self.expect(*_answers(name))

    def ask(self, name: str, **arguments: Any) -> Method:
        """The same, but deliveries and the like may come first and stay to be expected."""
        self.send(name, **arguments)
        return self.wait_for(*_answers(name))

    def wait_for(self, *names: str) -> Method:
        """The next of these methods; what comes before it stays to be expected."""
        before: list[Method] = []
        while (method := self.line.next(channel=self.number, waiting_for=f"{names}")).name not in names:
            assert method.name != "channel.close", f"waited for {names}, got {method}"
            before.append(method)
        self.line.inbox[self.number].extendleft(reversed(before))
        return method

    def refusal(self, name: str, **arguments: Any) -> tuple[int, str]:
        """Send something that must close the channel; the code and the text the broker gives."""
        self.send(name, **arguments)
        return self.closed_by_broker()

    def closed_by_broker(self) -> tuple[int, str]:
        """Wait for channel.close and agree to it; its code and text."""
        method = self.wait_for("channel.close")
        self.send("channel.close-ok")
        return method.code, method.text

    def is_still_open(self) -> bool:
        return self.ask("channel.flow", active=True).name == "channel.flow-ok"

    def pending(self, *queues: str) -> list[Method]:
        """What has come, once the broker had occasion to send all it has: deliveries are no answers.

        The queues named answer first, then the channel: nothing they sent before can still be under way.
        """
        for queue in queues:
            self.ask("queue.declare", queue=queue, passive=True)
        self.is_still_open()
        taken = list(self.line.inbox[self.number])
        self.line.inbox[self.number].clear()
        return taken

    # What nearly every conversation needs

    def queue(self, name: str = "", *, arguments: dict[str, Any] | None = None, **flags: Any) -> str:
        """Declare a queue, exclusive unless told otherwise; its name."""
        flags = {"exclusive": True} | flags
        declared = self.ask("queue.declare", queue=name, arguments=arguments or {}, **flags)
        found: str = declared.queue
        return found

    def quorum_queue(self, name: str, **arguments: Any) -> str:
        """Declare a quorum queue with these arguments (delivery_limit for x-delivery-limit); its name."""
        extra = {f"x-{key.replace('_', '-')}": value for key, value in arguments.items()}
        return self.queue(name, exclusive=False, durable=True, arguments={"x-queue-type": "quorum", **extra})

    def exchange(self, name: str, kind: str = "direct", **arguments: Any) -> str:
        """Declare an exchange that goes away with its last binding, unless told otherwise; its name."""
        self.ask("exchange.declare", exchange=name, type=kind, **{"auto_delete": True} | arguments)
        return name

    def bind(self, queue: str, exchange: str, key: str = "", **arguments: Any) -> None:
        self.ask("queue.bind", queue=queue, exchange=exchange, key=key, arguments=arguments)

    def publish(
        self,
        body: bytes | str = b"",
        key: str = "",
        *,
        exchange: str = "",
        mandatory: bool = False,
        immediate: bool = False,
        **properties: Any,
    ) -> None:
        """Publish a message, to a queue by its name unless an exchange is told."""
        body = body.encode() if isinstance(body, str) else body
        arguments = {"exchange": exchange, "key": key, "mandatory": mandatory, "immediate": immediate}
        self.line.send_bytes(
            codec.method_frame(self.number, "basic.publish", arguments)
            + codec.content_frames(self.number, properties, body, frame_max=self.line.frame_max)
        )

    def consume(self, queue: str, *, tag: str = "", **flags: Any) -> str:
        """Begin to consume; the consumer's tag."""
        found: str = self.ask("basic.consume", queue=queue, tag=tag, **flags).tag
        return found

    def delivery(self) -> Method:
        """The next delivery, which must be the next thing to come."""
        return self.expect("basic.deliver")

    def bodies(self, count: int) -> list[str]:
        """The bodies of the next deliveries."""
        return [self.delivery().body.decode() for _ in range(count)]

    def get(self, queue: str, *, no_ack: bool = True) -> Method:
        """Take a message from the queue, or basic.get-empty."""
        return self.ask("basic.get", queue=queue, no_ack=no_ack)

    def get_soon(self, queue: str, *, no_ack: bool = True) -> Method:
        """Take the message that must reach the queue before long."""
        found: Method = until(lambda: self._maybe_get(queue, no_ack=no_ack), f"a message in {queue}")
        return found

    def _maybe_get(self, queue: str, *, no_ack: bool) -> Method | None:
        got = self.get(queue, no_ack=no_ack)
        return got if got.name == "basic.get-ok" else None

    def count(self, queue: str) -> int:
        """How many messages wait in the queue; RabbitMQ may answer before it looks at the last publishes."""
        found: int = self.ask("queue.declare", queue=queue, passive=True).messages
        return found

    def wait_for_count(self, queue: str, count: int) -> None:
        """Wait until so many messages wait in the queue."""
        until(lambda: self.count(queue) == count, f"{count} messages in {queue}")

    def is_unknown(self, exchange: str) -> bool:
        """Whether there is no such exchange; if so, this was the channel's last word."""
        self.send("exchange.declare", exchange=exchange, passive=True)
        if self.wait_for("exchange.declare-ok", "channel.close").name == "exchange.declare-ok":
            return False
        self.send("channel.close-ok")
        return True

    def drain(self, queue: str) -> list[str]:
        """Take all that waits in the queue; the bodies."""
        taken = []
        while (got := self.get(queue)).name == "basic.get-ok":
            taken.append(got.body.decode())
        return taken

    def publish_safely(self, body: bytes | str = b"", key: str = "", **more: Any) -> None:
        """Publish and wait for the confirm: the message is in its queues."""
        if not self.confirms:
            self.ask("confirm.select")
            self.confirms = True
        self.publish(body, key, **more)
        self.wait_for("basic.ack")


def beginning(refusal: tuple[int, str], text: str) -> tuple[int, str]:
    """The refusal with as much of its text as this one has: where RabbitMQ goes on in Erlang."""
    return refusal[0], refusal[1][: len(text)]


def clipped(text: str) -> str:
    """What RabbitMQ makes of a reply text that does not fit into a short string."""
    return text if len(text.encode()) <= 255 else text.encode()[:252].decode() + "..."


def until(condition: Any, what: str) -> Any:
    """Ask again and again until there is an answer, within reason."""
    end = time.monotonic() + PATIENCE_S
    while not (answer := condition()):
        assert time.monotonic() < end, f"waited for {what} in vain"
        time.sleep(0.02)
    return answer


def _answers(name: str) -> tuple[str, ...]:
    return ("basic.get-ok", "basic.get-empty") if name == "basic.get" else (f"{name}-ok",)
