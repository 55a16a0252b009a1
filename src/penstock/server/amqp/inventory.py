"""The inventory: what a virtual host has, told to a client that asks for it over AMQP.

RabbitMQ tells it by a management plugin, over HTTP; here a tool needs nothing but the connection it has. A
request is a message to the default exchange with the routing key `amq.penstock.definitions`; the answer goes
where its reply-to says, in the format of RabbitMQ's definitions, with the depths of the queues beside.
Everybody is told of what they may read or configure; who administers or monitors, of everything.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec

from penstock import __version__
from penstock.broker.definitions import Kind
from penstock.broker.host import PASSAGE
from penstock.server.amqp.bindings import read_identity
from penstock.server.amqp.declared import ExchangeDeclared, QueueDeclared
from penstock.server.amqp.errors import precondition
from penstock.server.amqp.message import AmqpMessage
from penstock.server.amqp.terms import read_terms
from penstock.server.permissions import Action
from penstock.wire.amqp import BasicProperties, PublishArgs, content_frames
from penstock.wire.amqp.table import decode_table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from penstock.broker.host import Asked, VirtualHost
    from penstock.server.amqp.channel import Channel
    from penstock.wiring import Proxy, Queue

__all__ = [
    "Way",
    "answer",
    "binding_defined",
    "bindings_of",
    "exchange_defined",
    "inventory",
    "is_own",
    "is_public",
    "plain",
    "queue_defined",
    "ways_of",
]

#: Users with one of these are told of everything.
SEES_ALL: Final = frozenset({"administrator", "monitoring"})
#: Exchanges that every virtual host has begin so; like RabbitMQ's definitions, these do not list them.
OWN: Final = "amq."
#: Where AMQP's target kinds come from.
_KINDS: Final = {Kind.QUEUE.value: "queue", Kind.PROXY.value: "exchange"}


def answer(channel: Channel, request: AmqpMessage) -> None:
    """Send the inventory to where a request wants it.

    Raises:
        ChannelFault: 406, it does not say where.
    """
    where = request.content.reply_to
    if where is None:
        raise precondition("a request for definitions has a reply-to")
    broker, host = channel.session.broker, channel.host
    broker.settle(host)
    body = msgspec.json.encode(inventory(host, _sight(channel)), enc_hook=str)
    content = BasicProperties.of(content_type="application/json")
    if request.content.correlation_id is not None:
        content = content.replace(correlation_id=request.content.correlation_id)
    # One frame of any size: it is cut to what was agreed with its reader when it leaves.
    frames = content_frames(channel.number, content, body, 0)
    reply = AmqpMessage(PublishArgs("", where), content, frames, read_terms(content))
    host.wiring.publish("", [reply], broker.now)


def _sight(channel: Channel) -> Callable[[str], bool]:
    """Which names the user of a channel is told of."""
    session = channel.session
    users = session.front.access.realm.users
    if session.user_name in users and users.get(session.user_name).tags & SEES_ALL:
        return lambda _: True
    guard = session.guard
    return lambda name: guard.may(Action.READ, name) or guard.may(Action.CONFIGURE, name)


def inventory(host: VirtualHost, may_see: Callable[[str], bool]) -> dict[str, Any]:
    """What a virtual host has: plain values, texts as JSON can have them."""
    queues = (queue for queue in host.wiring.queues.values() if is_public(queue))
    proxies = (proxy for proxy in host.wiring.proxies.values() if not is_own(proxy.name))
    told = {
        "product_name": "Penstock",
        "product_version": __version__,
        "vhost": host.name,
        "queues": [_queue(queue, host.name) for queue in queues if may_see(queue.name)],
        "exchanges": [exchange_defined(proxy, host.name) for proxy in proxies if may_see(proxy.name)],
        "bindings": [found for found in bindings_of(host) if may_see(found["destination"])],
    }
    shown: dict[str, Any] = plain(told)
    return shown


def is_public(queue: Queue) -> bool:
    """Whether a queue may be anybody's: it is no connection's own, and AMQP can name it."""
    return queue.owner is None and not queue.namespace


def is_own(name: str) -> bool:
    """Whether every virtual host has an exchange of that name."""
    return not name or name.startswith(OWN)


def queue_defined(queue: Queue, vhost: str) -> dict[str, Any]:
    """What a queue is declared with."""
    declared = QueueDeclared.read(queue)
    return {
        "name": queue.name,
        "vhost": vhost,
        "durable": declared.durable,
        "auto_delete": declared.auto_delete,
        "arguments": declared.table(),
    }


def _queue(queue: Queue, vhost: str) -> dict[str, Any]:
    delayed, buried = len(queue.timers.delayed), len(queue.buried)
    return queue_defined(queue, vhost) | {
        "messages": queue.ready + queue.held + delayed + buried,
        "messages_ready": queue.ready,
        "messages_unacknowledged": queue.held,
        "messages_delayed": delayed,
        "consumers": len(queue.dispatch.consumers),
    }


def exchange_defined(proxy: Proxy, vhost: str) -> dict[str, Any]:
    """What an exchange is declared with."""
    declared = ExchangeDeclared.read(proxy)
    return {
        "name": proxy.name,
        "vhost": vhost,
        "type": declared.type,
        "durable": declared.durable,
        "auto_delete": declared.auto_delete,
        "internal": declared.internal,
        "arguments": decode_table(declared.arguments)[0],
    }


def bindings_of(host: VirtualHost) -> Iterator[dict[str, Any]]:
    """All bindings as they were asked for; that of a queue with its own name goes without saying."""
    return (binding_defined(way, host.name) for way in ways_of(host))


class Way(NamedTuple):
    """One binding, before it is told."""

    asked: Asked
    pattern: Any
    #: What it leads to in the end: one with a selector leads through a passage, and this is behind it.
    end: Asked

    @property
    def kind(self) -> str:
        """What it leads to: a queue or an exchange."""
        return _KINDS[self.end.target_kind]


def ways_of(host: VirtualHost) -> Iterator[Way]:
    """All bindings that there are when the first is asked for."""
    registrations = list(host.registrations.items())
    beyond = {asked.proxy: asked for asked, _ in registrations if asked.proxy.startswith(PASSAGE)}
    for asked, pattern in registrations:
        if asked.proxy not in beyond:
            yield Way(asked, pattern, beyond.get(asked.target, asked))


def binding_defined(way: Way, vhost: str) -> dict[str, Any]:
    """What a binding is made with."""
    key, arguments = read_identity(way.asked.identity, way.pattern)
    return {
        "source": way.asked.proxy,
        "vhost": vhost,
        "destination": way.end.target,
        "destination_type": way.kind,
        "routing_key": key,
        "arguments": arguments,
    }


def plain(value: Any) -> Any:
    """The same with texts that JSON can have: AMQP's may be any bytes."""
    if isinstance(value, str):
        return (
            value if value.isascii() else value.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
        )
    if isinstance(value, dict):
        return {plain(name): plain(entry) for name, entry in value.items()}
    if isinstance(value, list):
        return [plain(entry) for entry in value]
    return value
