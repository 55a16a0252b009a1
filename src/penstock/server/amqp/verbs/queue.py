"""queue.*: queues, in AMQP's words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from penstock.errors import UnknownTemplate
from penstock.server.amqp.arguments import is_quorum, queue_changes
from penstock.server.amqp.bindings import bind, unbind
from penstock.server.amqp.declared import BY_USE, QueueDeclared
from penstock.server.amqp.errors import ChannelFault, precondition
from penstock.server.amqp.publishing import REPLY_TO
from penstock.server.amqp.subscription import Subscription
from penstock.server.amqp.verbs.exchange import clean, refuse_default
from penstock.server.amqp.verbs.table import verb
from penstock.server.operations import Operation
from penstock.wire.amqp.constants import ReplyCode
from penstock.wire.amqp.methods import (
    QueueBind,
    QueueBindOk,
    QueueDeclare,
    QueueDeclareOk,
    QueueDelete,
    QueueDeleteOk,
    QueuePurge,
    QueuePurgeOk,
    QueueUnbind,
    QueueUnbindOk,
)
from penstock.wiring import OWN_NAME

if TYPE_CHECKING:
    from penstock.server.amqp.channel import Channel
    from penstock.wiring import Queue

__all__ = ["declare", "delete", "purge"]

#: Names that begin so are the broker's own.
RESERVED: Final = "amq."


@verb(QueueDeclare)
def declare(channel: Channel, method: QueueDeclare) -> QueueDeclareOk:
    """Make a queue, or check that it is there and alike; no name asks for a fresh one."""
    name = clean(method.queue)
    if name.startswith(REPLY_TO):
        return _find_replies(channel, name)
    if method.passive:
        channel.check(Operation.QUEUE_DECLARE_PASSIVE, name)
        queue = channel.queue(name)
    else:
        queue = _find_or_create(channel, name, method)
    queue.use(channel.session.broker.now)
    channel.last_queue = queue.name
    return QueueDeclareOk(queue.name, queue.ready, len(queue.dispatch.consumers))


def _find_replies(channel: Channel, name: str) -> QueueDeclareOk:
    """Anybody may ask whether somebody still waits for an answer."""
    if ("", name) not in channel.host.wiring.queues:
        raise channel.no_queue(name)
    return QueueDeclareOk(name, 0, 1)


def _find_or_create(channel: Channel, name: str, method: QueueDeclare) -> Queue:
    if name.startswith(RESERVED):
        detail = f"queue name '{name}' contains reserved prefix 'amq.*'"
        raise ChannelFault(ReplyCode.ACCESS_REFUSED, detail)
    if not name and is_quorum(method.arguments):
        raise precondition("Cannot declare a server-named queue for type rabbit_quorum_queue")
    name = name or f"amq.gen-{channel.session.broker.token()}"
    channel.check(Operation.QUEUE_DECLARE, name)
    if ("", name) not in channel.host.wiring.queues:
        return _create(channel, name, method)
    queue = channel.queue(name)
    if method.exclusive != (queue.owner is not None):
        raise channel.locked(name)
    try:
        QueueDeclared.of(method).demand_same(queue, channel.spoken(name))
    except ChannelFault:
        if not _can_be_another(queue):
            raise
        channel.host.wiring.destroy_queue(queue)
        channel.host.clear_away()
        return _create(channel, name, method)
    return queue


def _can_be_another(queue: Queue) -> bool:
    """Whether it is but a name that beanstalk clients use and watch: they go on with what is declared."""
    holds = queue.ready or queue.held or len(queue.timers.delayed) or queue.buried
    serves = queue.readers or queue.leaving or len(queue.registrations) > 1
    by_amqp = any(isinstance(consumer.remarks, Subscription) for consumer in queue.dispatch.consumers)
    return queue.template.remarks == BY_USE and not (holds or serves or by_amqp)


def _create(channel: Channel, name: str, method: QueueDeclare) -> Queue:
    session, owner = channel.session, f"queue {channel.spoken(name)}"
    limit = session.front.settings.delivery_limit
    changes = queue_changes(method.arguments, owner=owner, delivery_limit=limit)
    _refuse_quorum_of_few(method, owner)
    home = changes.get("dead_letters")
    if home is not None:
        channel.check(Operation.QUEUE_DEAD_LETTER, name, home.proxy)
    _refuse_too_many(channel, name)
    template = str(method.arguments.get("x-template", ""))
    try:
        queue = channel.host.create_queue(
            name,
            template=template,
            private_to=session.connection if method.exclusive else None,
            now=session.broker.now,
            persistent=method.durable and not method.exclusive,
            dynamic=method.auto_delete,
            remarks=QueueDeclared.of(method).encoded(),
            **changes,
        )
    except UnknownTemplate as unknown:
        raise precondition(f"invalid arg 'x-template' for {owner}: {unknown}") from unknown
    _register(channel, queue, template)
    return queue


def _refuse_quorum_of_few(method: QueueDeclare, owner: str) -> None:
    """What RabbitMQ keeps on several machines belongs to everyone, and stays."""
    if is_quorum(method.arguments):
        wrong = {
            "auto-delete": method.auto_delete,
            "exclusive-owner": method.exclusive,
            "non-durable": not method.durable,
        }
        for name, is_wrong in wrong.items():
            if is_wrong:
                raise precondition(f"invalid property '{name}' for {owner}")


def _refuse_too_many(channel: Channel, name: str) -> None:
    session, host = channel.session, channel.host
    hosts, most = session.front.access.realm.vhosts, session.front.settings.max_queues
    limit = hosts.get(host.name).max_queues if host.name in hosts else None
    if limit is not None and len(host.wiring.queues) >= limit:
        told = f"queue limit in vhost '{host.name}' ({limit}) is reached"
    elif most is not None and sum(len(each.wiring.queues) for each in session.broker.hosts.values()) >= most:
        told = f"queue limit in cluster ({most}) is reached"
    else:
        return
    raise precondition(f"cannot declare queue '{name}': {told}")


def _register(channel: Channel, queue: Queue, template: str) -> None:
    """A template's default registration comes beside the one every queue has by its name."""
    wanted = channel.host.wiring.template(template).registration
    if wanted is not None:
        pattern = queue.name if wanted.pattern is OWN_NAME else wanted.pattern
        channel.host.register(queue, wanted.proxy, pattern, b"template")


@verb(QueueBind)
def bind_queue(channel: Channel, method: QueueBind) -> QueueBindOk:
    """Let messages of an exchange flow to a queue."""
    name, key = _binding(channel, Operation.QUEUE_BIND, method)
    queue, exchange = channel.queue(name), channel.exchange(method.exchange)
    channel.check_topic("read", exchange, key)
    bind(channel.host, queue, exchange, key, method.arguments)
    return QueueBindOk()


@verb(QueueUnbind)
def unbind_queue(channel: Channel, method: QueueUnbind) -> QueueUnbindOk:
    """End a binding; one that is not there is no mistake, whatever of it is missing."""
    name, key = _binding(channel, Operation.QUEUE_UNBIND, method)
    exchange = channel.host.wiring.proxies.get(method.exchange)
    if ("", name) in channel.host.wiring.queues and exchange is not None:
        channel.check_topic("read", exchange, key)
        unbind(channel.host, channel.queue(name), exchange, key, method.arguments)
    return QueueUnbindOk()


def _binding(channel: Channel, operation: Operation, method: QueueBind | QueueUnbind) -> tuple[str, str]:
    """The queue's name and the routing key, once they are known to be allowed."""
    name = channel.named(method.queue)
    # AMQP 0-9-1: with neither queue nor key given, the last queue's name is the key too.
    key = method.routing_key if method.queue or method.routing_key else name
    if name.startswith(REPLY_TO):
        detail = "cannot bind or unbind to a volatile (direct reply-to) queue"
        raise ChannelFault(ReplyCode.ACCESS_REFUSED, detail)
    refuse_default(method.exchange)
    channel.check(operation, name, method.exchange)
    return name, key


@verb(QueuePurge)
def purge(channel: Channel, method: QueuePurge) -> QueuePurgeOk:
    """Drop every message that waits."""
    name = channel.named(method.queue)
    channel.check(Operation.QUEUE_PURGE, name)
    return QueuePurgeOk(channel.queue(name).purge())


@verb(QueueDelete)
def delete(channel: Channel, method: QueueDelete) -> QueueDeleteOk:
    """Remove a queue; one that is not there is no mistake."""
    host = channel.host
    name = channel.named(clean(method.queue))
    channel.check(Operation.QUEUE_DELETE, name)
    if ("", name) not in host.wiring.queues:
        return QueueDeleteOk(0)
    queue = channel.queue(name)
    if method.if_unused and queue.dispatch.consumers:
        raise precondition(f"queue {channel.spoken(name)} in use")
    if method.if_empty and queue.ready:
        raise precondition(f"queue {channel.spoken(name)} not empty")
    ready = host.wiring.destroy_queue(queue)
    host.clear_away()
    return QueueDeleteOk(ready)
