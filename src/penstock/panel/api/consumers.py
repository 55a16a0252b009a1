"""Consumers: who gets messages from which queue, by which channel."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from penstock.panel.api.listing import listed
from penstock.panel.api.nodes import node_name
from penstock.panel.api.peers import channel_name, connection_name, peer_of_session, user_of

if TYPE_CHECKING:
    from penstock.panel.replies import Reply
    from penstock.panel.visit import Visit
    from penstock.server.amqp.session import AmqpSession
    from penstock.server.beanstalk.session import BeanstalkSession
    from penstock.wiring import Consumer
    from penstock.wiring.ledger import Ledger

    #: A ledger → its session, and the channel's number there.
    Whose: TypeAlias = dict[Ledger, tuple[AmqpSession | BeanstalkSession, int]]

__all__ = ["consumer_row", "ledgers", "list_consumers"]


async def list_consumers(visit: Visit, vhost: str | None = None) -> Reply:
    """All consumers, or those in a virtual host."""
    hosts = visit.hosts() if vhost is None else [visit.host(vhost)]
    by_ledger = ledgers(visit)
    found = [
        (host.name, consumer)
        for host in hosts
        for queue in host.wiring.queues.values()
        for consumer in queue.dispatch.consumers
    ]
    return await listed(visit, found, lambda each: consumer_row(each[1], each[0], by_ledger))


def ledgers(visit: Visit) -> Whose:
    """Whose each ledger is."""
    found: Whose = {
        channel.ledger: (session, channel.number)
        for session in visit.front.sessions
        for channel in session.channels.values()
    }
    for session in visit.panel.embedded.beanstalk.sessions:
        found[session.reserving.ledger] = session, 0
    return found


def consumer_row(consumer: Consumer, vhost: str, by_ledger: Whose) -> dict[str, Any]:
    """One consumer."""
    queue, active = consumer.queue, consumer.queue.dispatch.active
    is_active = active is None or active is consumer
    whose = by_ledger.get(consumer.ledger)
    return {
        "consumer_tag": consumer.name,
        "queue": {"name": queue.address, "vhost": vhost},
        "ack_required": consumer.acks,
        "exclusive": consumer.exclusive,
        "prefetch_count": consumer.prefetch,
        "priority": consumer.priority,
        "active": is_active,
        "activity_status": "up" if is_active else "waiting",
        "messages_unacknowledged": consumer.held,
        "arguments": {"x-priority": consumer.priority} if consumer.priority else {},
        "channel_details": {} if whose is None else _channel(*whose),
    }


def _channel(session: AmqpSession | BeanstalkSession, number: int) -> dict[str, Any]:
    host, port = peer_of_session(session)
    return {
        "name": channel_name(session, number),
        "number": number,
        "connection_name": connection_name(session),
        "peer_host": host,
        "peer_port": port,
        "user": user_of(session),
        "node": node_name(),
    }
