"""Greeting: a session's handshake: who the client is, the limits agreed on, and the virtual host."""

from __future__ import annotations

import asyncio
import platform
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from penstock import __version__
from penstock.server.amqp.wording import SHORT_STRING, shortened
from penstock.wire.amqp import Claim, Failure, ServerHandshake, Tuning
from penstock.wire.amqp.constants import ReplyCode
from penstock.wire.amqp.handshake import Admission, Ended, Stage

if TYPE_CHECKING:
    from penstock.broker.host import VirtualHost
    from penstock.server.amqp.session import AmqpSession
    from penstock.server.guard import Guard
    from penstock.wire.amqp import Item
    from penstock.wire.amqp.table import Table

__all__ = ["Greeting", "Introduction", "server_properties"]


def server_properties() -> Table:
    """What the server says about itself; clients look at the capabilities."""
    return {
        "product": "Penstock",
        "version": __version__,
        "platform": f"Python {platform.python_version()}",
        "copyright": "The Penstock authors",
        "information": "Licensed under the terms in LICENSE",
        "cluster_name": f"penstock@{platform.node()}",
        "capabilities": {
            "publisher_confirms": True,
            "exchange_exchange_bindings": True,
            "basic.nack": True,
            "consumer_cancel_notify": True,
            "connection.blocked": True,
            "consumer_priorities": True,
            "authentication_failure_close": True,
            "per_consumer_qos": True,
            "direct_reply_to": True,
        },
    }


@dataclass(frozen=True, slots=True)
class Introduction:
    """What a client has said of itself, and when; its password is not kept."""

    at: float = 0.0
    mechanism: str = ""
    client_properties: Table = field(default_factory=dict)


class Greeting:
    """From the protocol header to connection.open-ok."""

    def __init__(self, session: AmqpSession) -> None:
        self._session = session
        settings = session.front.settings
        self._offer = Tuning(
            channel_max=settings.channel_max, frame_max=settings.frame_max, heartbeat=settings.heartbeat
        )
        self._peer = session.peer
        mechanisms = session.front.access.mechanisms(session.peer)
        self._handshake = ServerHandshake(server_properties(), mechanisms, self._offer)
        self._claim: Claim | None = None
        self._judging: asyncio.Task[None] | None = None

    @property
    def is_closing(self) -> bool:
        """Whether the connection is on its way out already."""
        return self._handshake.stage in (Stage.CLOSING, Stage.CLOSED)

    def take(self, item: Item) -> None:
        """An item that came before the connection was open."""
        event = self._handshake.receive(item)
        if isinstance(event, Claim):
            self._claim = event
            # Checking a password takes a while on purpose: the others must not wait for it.
            self._session.transport.pause_reading()
            self._judging = asyncio.get_running_loop().create_task(self._judge(event))
        elif isinstance(event, Tuning):
            self._tune(event)
        elif isinstance(event, Admission):
            self._admit(event.virtual_host)
        self._send()
        if isinstance(event, Ended):
            self._hang_up()
        elif isinstance(event, Failure):
            self._session.front.expects_farewell(self._session)

    def _hang_up(self) -> None:
        self._session.flush()
        self._session.transport.close()

    def _send(self) -> None:
        data = self._handshake.data_to_send()
        if data:
            self._session.out.append(data)
            self._session.will_flush()

    async def _judge(self, claim: Claim) -> None:
        session = self._session
        verdict = await session.front.access.judge(claim, self._peer)
        if session.transport.is_closing():
            return
        if verdict.user is None:
            self._handshake.refuse(verdict.reason)
            self._send()
            if self._handshake.stage is Stage.CLOSED:
                # It would not understand what was wrong.
                self._hang_up()
                return
            session.front.expects_farewell(session)
        else:
            session.user_name = verdict.user.name
            self._handshake.accept()
            self._send()
        session.broker.turn()
        session.transport.resume_reading()

    def _tune(self, tuning: Tuning) -> None:
        session = self._session
        session.frame_max = tuning.frame_max
        # RabbitMQ limits how many channels are open, not their numbers: the decoder lets all pass.
        session.decoder.tune(frame_max=tuning.frame_max, channel_max=0)
        session.channel_max = tuning.channel_max
        session.heartbeat.start(tuning.heartbeat)

    def _admit(self, name: str) -> None:
        session = self._session
        user, host = session.user_name, session.broker.hosts.get(name)
        guard = session.front.access.guard(user, name)
        if host is None:
            self._turn_away(f"vhost {name} not found")
        elif guard is None:
            self._turn_away(f"access to vhost '{name}' refused for user '{user}'")
        elif (limit := self._limit_reached(host)) is not None:
            reached = f"connection limit ({limit}) is reached"
            self._turn_away(f"access to vhost '{name}' refused for user '{user}': {reached}")
        else:
            self._let_in(host, guard)

    def _turn_away(self, detail: str) -> None:
        code = ReplyCode.NOT_ALLOWED
        self._handshake.close(code, code.text(shortened(detail, SHORT_STRING - len(code.text("")))))
        self._session.front.expects_farewell(self._session)

    def _limit_reached(self, host: VirtualHost) -> int | None:
        """How many connections a virtual host may have, if it has them."""
        front = self._session.front
        vhosts = front.access.realm.vhosts
        limit = vhosts.get(host.name).max_connections if host.name in vhosts else None
        if limit is None:
            return None
        there = sum(session.is_open and session.host is host for session in front.sessions)
        return limit if there >= limit else None

    def _let_in(self, host: VirtualHost, guard: Guard) -> None:
        session = self._session
        session.host = host
        session.guard = guard
        session.connection = host.wiring.connect(session.name)
        properties = self._claim.client_properties if self._claim else {}
        mechanism = self._claim.mechanism if self._claim else ""
        session.introduction = Introduction(session.broker.now, mechanism, properties)
        capabilities = properties.get("capabilities")
        if isinstance(capabilities, dict):
            session.hears_cancel = capabilities.get("consumer_cancel_notify") is True
            session.hears_blocked = capabilities.get("connection.blocked") is True
        self._handshake.admit()
        session.greeting = None
        session.is_open = True
        session.front.admitted(session)
