"""The inventory: what a virtual host has, told to a client that asks for it over AMQP.

RabbitMQ tells it by a management plugin, over HTTP; here a tool needs nothing but the connection it has. A
request is a message to the default exchange with the routing key `amq.penstock.definitions`; the answer goes
where its reply-to says, in the format of RabbitMQ's definitions, with the depths of the queues beside.
Everybody is told of what they may read or configure; who administers or monitors, of everything.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

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

__all__ = ["answer", "inventory"]

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
    queues = (queue for queue in host.wiring.queues.values() if _is_public(queue))
    proxies = (proxy for proxy in host.wiring.proxies.values() if not _is_own(proxy.name))
    told = {
        "product_name": "Penstock",
        "product_version": __version__,
        "vhost": host.name,
        "queues": [_queue(queue, host.name) for queue in queues if may_see(queue.name)],
        "exchanges": [_exchange(proxy, host.name) for proxy in proxies if may_see(proxy.name)],
        "bindings": [found for found in _bindings(host) if may_see(found["destination"])],
    }
    plain: dict[str, Any] = _plain(told)
    return plain


def _is_public(queue: Queue) -> bool:
    """Whether a queue may be anybody's: it is no connection's own, and AMQP can name it."""
    return queue.owner is None and not queue.namespace


def _is_own(name: str) -> bool:
    return not name or name.startswith(OWN)


def _queue(queue: Queue, vhost: str) -> dict[str, Any]:
    declared = QueueDeclared.read(queue)
    delayed, buried = len(queue.timers.delayed), len(queue.buried)
    return {
        "name": queue.name,
        "vhost": vhost,
        "durable": declared.durable,
        "auto_delete": declared.auto_delete,
        "arguments": declared.table(),
        "messages": queue.ready + queue.held + delayed + buried,
        "messages_ready": queue.ready,
        "messages_unacknowledged": queue.held,
        "messages_delayed": delayed,
        "consumers": len(queue.dispatch.consumers),
    }


def _exchange(proxy: Proxy, vhost: str) -> dict[str, Any]:
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


def _bindings(host: VirtualHost) -> Iterator[dict[str, Any]]:
    """All bindings as they were asked for; that of a queue with its own name goes without saying."""
    beyond = {asked.proxy: asked for asked in host.registrations if asked.proxy.startswith(PASSAGE)}
    for asked, pattern in host.registrations.items():
        if asked.proxy.startswith(PASSAGE):
            continue
        # A binding with a selector leads through a passage; what it is bound to is behind that.
        end: Asked = beyond.get(asked.target, asked)
        key, arguments = read_identity(asked.identity, pattern)
        yield {
            "source": asked.proxy,
            "vhost": host.name,
            "destination": end.target,
            "destination_type": _KINDS[end.target_kind],
            "routing_key": key,
            "arguments": arguments,
        }


def _plain(value: Any) -> Any:
    """The same with texts that JSON can have: AMQP's may be any bytes."""
    if isinstance(value, str):
        return (
            value if value.isascii() else value.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
        )
    if isinstance(value, dict):
        return {_plain(name): _plain(entry) for name, entry in value.items()}
    if isinstance(value, list):
        return [_plain(entry) for entry in value]
    return value
