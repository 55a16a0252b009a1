"""A broker with its panel on a loop of the test's own, for tests that ask one thing after the other."""

from __future__ import annotations

import asyncio
from base64 import b64encode
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, Any, Self, TypeVar

from penstock.server.passwords import CHEAP, decoy
from penstock.server.permissions import Permission
from tests.panel.asgi import opened
from tests.server.peer import Peer

if TYPE_CHECKING:
    from collections.abc import Coroutine

    from penstock.broker.host import VirtualHost
    from penstock.wiring import Queue
    from tests.panel.asgi import Answer, Asker

T = TypeVar("T")


class House:
    """Ask with the verbs; who asks is guest, an administrator, unless it is said otherwise."""

    def __init__(self, **settings: Any) -> None:
        self._loop = asyncio.new_event_loop()
        self._opened = AsyncExitStack()
        # A client that a test leaves with something in hand is not waited for.
        settings = {"stop_timeout": 0} | settings
        self.asker: Asker = self.run(self._opened.enter_async_context(opened(**settings)))
        self._clients: list[Peer] = []
        self.embedded = self.asker.panel.embedded
        self.broker = self.embedded.broker
        users = self.embedded.front.access.realm.users
        # As slow as it has to be outside, it would take most of the tests' time.
        users._cost, users._decoy = CHEAP, decoy(CHEAP)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for client in self._clients:
            client.transport.abort()
        try:
            self.run(self._opened.aclose())
        finally:
            self._loop.close()

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        return self._loop.run_until_complete(work)

    @property
    def host(self) -> VirtualHost:
        return self.broker.hosts["/"]

    def queue(self, name: str) -> Queue:
        return self.host.wiring.queues["", name]

    # Asking

    def ask(self, verb: str, target: str, body: Any = None, *, user: str = "guest", **headers: str) -> Answer:
        said = {"authorization": "Basic " + b64encode(f"{user}:{user}".encode()).decode(), **headers}
        return self.run(self.asker.ask(verb, f"/api{target}", body, said))

    def get(self, target: str, *, user: str = "guest") -> Any:
        """What is answered, which must be well."""
        answer = self.ask("GET", target, user=user)
        assert answer.status == 200, answer.body
        return answer.json

    def put(self, target: str, body: Any = None) -> int:
        return self.ask("PUT", target, {} if body is None else body).status

    def post(self, target: str, body: Any = None) -> Any:
        answer = self.ask("POST", target, {} if body is None else body)
        assert answer.status in {200, 201, 204}, answer.body
        return answer.json if answer.body else None

    def delete(self, target: str) -> int:
        return self.ask("DELETE", target).status

    # People and clients

    def user(self, name: str, *tags: str, vhosts: tuple[str, ...] = ("/",), may: str = ".*") -> None:
        """Somebody whose password is the name."""
        realm = self.embedded.front.access.realm
        realm.users.add(name, name, tags, cost=CHEAP)
        for vhost in vhosts:
            realm.permissions.grant(Permission(user=name, vhost=vhost, configure=may, write=may, read=may))

    def client(self, user: str = "guest", vhost: str = "/") -> Peer:
        """Somebody who has come by AMQP."""
        client = self.run(Peer.enter(self.embedded.dial, user, vhost))
        self._clients.append(client)
        return client

    def publish(self, queue: str, *bodies: str, **properties: Any) -> None:
        for body in bodies:
            told = {"routing_key": queue, "payload": body, "properties": properties}
            assert self.post("/exchanges/%2F/amq.default/publish", told) == {"routed": True}
