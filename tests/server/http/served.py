"""A broker that listens, on a thread of its own, for tests that come by a socket as everybody does."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
from base64 import b64encode
from contextlib import closing
from http.client import HTTPConnection, HTTPSConnection
from typing import TYPE_CHECKING, Any, NamedTuple, Self, TypeVar

import uvloop

from penstock.client import sync
from penstock.client.values import Outgoing, Queue
from penstock.server.embedded import Embedded
from penstock.server.permissions import Permission
from penstock.settings import Address, Settings
from penstock.wire.amqp import BasicProperties

if TYPE_CHECKING:
    import ssl
    from collections.abc import Callable, Coroutine, Sequence
    from pathlib import Path

    from penstock.broker.host import VirtualHost

T = TypeVar("T")

LOOPS: dict[str, Callable[[], asyncio.AbstractEventLoop]] = {
    "asyncio": asyncio.new_event_loop,
    "uvloop": uvloop.new_event_loop,
}
PERSISTENT = BasicProperties.of(delivery_mode=2)


class Said(NamedTuple):
    """An answer."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> dict[str, Any]:
        return json.loads(self.body)  # type: ignore[no-any-return]


class House:
    """A broker in memory, or in a folder, with one listener."""

    def __init__(self, *, loop: str = "uvloop", data: Path | None = None, **settings: Any) -> None:
        where = (Address("127.0.0.1", 0),)
        listeners = {"amqp": () if "amqps_certificate" in settings else where}
        if "amqps_certificate" in settings:
            listeners["amqps"] = where
        self.settings = Settings(data=data, **(listeners | settings))
        self.loop = LOOPS[loop]()
        self._thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self._thread.start()
        self.embedded: Embedded = self.run(Embedded.start(self.settings))
        [listening] = self.run(self.embedded.listen())
        self.port = int(listening.rsplit(":", 1)[1])
        self.url = listening.replace("://", "://guest:guest@")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Have something done on the broker's loop."""
        return asyncio.run_coroutine_threadsafe(work, self.loop).result(60)

    def do(self, work: Callable[[], T]) -> T:
        """The same for what is no coroutine."""

        async def step() -> T:
            return work()

        return self.run(step())

    def until(self, condition: Callable[[], Any]) -> None:
        """Wait until something is so on the broker's loop."""

        async def wait() -> None:
            for _ in range(5000):
                if condition():
                    return
                await asyncio.sleep(0.002)
            raise AssertionError("waited in vain")

        self.run(wait())

    @property
    def host(self) -> VirtualHost:
        return self.embedded.broker.hosts["/"]

    def add_user(self, name: str, **patterns: str) -> None:
        """A user who may do so much in the virtual host /; the password is the name."""
        realm = self.embedded.front.access.realm
        self.do(lambda: realm.users.add(name, name))
        if patterns:
            self.do(lambda: realm.permissions.grant(Permission(user=name, vhost="/", **patterns)))

    def fill(self, queue: str, bodies: Sequence[bytes], properties: BasicProperties = PERSISTENT) -> None:
        """A durable queue with these messages."""
        with sync.connect(self.url) as client:
            client.declare(Queue(queue))
            outgoings = [Outgoing("", queue, body, properties) for body in bodies]
            assert not any(client.publish_many(outgoings, timeout=60))

    # Asking

    def ask(
        self,
        verb: str,
        path: str,
        body: Any = None,
        *,
        user: str | None = "guest",
        headers: dict[str, str] | None = None,
        tls: ssl.SSLContext | None = None,
    ) -> Said:
        """One request on a connection of its own; what is no bytes is sent as JSON."""
        line = (
            HTTPConnection("127.0.0.1", self.port, timeout=60)
            if tls is None
            else HTTPSConnection("127.0.0.1", self.port, timeout=60, context=tls)
        )
        said = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        proof = {} if user is None else {"Authorization": basic(user, user)}
        with closing(line):
            line.request(verb, path, said, proof | (headers or {}))
            response = line.getresponse()
            named = {name.lower(): value for name, value in response.getheaders()}
            return Said(response.status, named, response.read())

    def dial(self) -> socket.socket:
        """A bare connection."""
        return socket.create_connection(("127.0.0.1", self.port), timeout=60)

    def exchange(self, said: bytes) -> bytes:
        """Say something, and hear everything until the broker hangs up."""
        with self.dial() as line:
            line.sendall(said)
            return heard(line)

    def close(self) -> None:
        if not self.loop.is_closed():
            self.run(self.embedded.close())
            self.loop.call_soon_threadsafe(self.loop.stop)
            self._thread.join()
            self.loop.close()


def basic(user: str, password: str) -> str:
    """The header that says who asks."""
    return "Basic " + b64encode(f"{user}:{password}".encode()).decode()


def heard(line: socket.socket) -> bytes:
    """All that comes until the other end hangs up."""
    parts = []
    while part := line.recv(65_536):
        parts.append(part)
    return b"".join(parts)
