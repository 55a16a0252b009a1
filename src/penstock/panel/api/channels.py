"""Channels: what is open on AMQP's connections."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.panel.api.consumers import consumer_row, ledgers
from penstock.panel.api.listing import listed, one
from penstock.panel.api.nodes import node_name
from penstock.panel.api.peers import channel_name, connection_name, peer_of_session
from penstock.panel.replies import ApiFault

if TYPE_CHECKING:
    from collections.abc import Iterable

    from penstock.panel.replies import Reply
    from penstock.panel.visit import Visit
    from penstock.server.amqp.channel import Channel
    from penstock.server.amqp.session import AmqpSession

__all__ = ["channel_rows", "get_channel", "list_channels", "list_of_vhost"]


async def list_channels(visit: Visit) -> Reply:
    """All channels that the visitor may see."""
    return await listed(visit, _seen(visit), _row, name=_name)


async def list_of_vhost(visit: Visit, vhost: str) -> Reply:
    """Those in a virtual host."""
    host = visit.host(vhost)
    return await listed(visit, [each for each in _seen(visit) if each.host is host], _row, name=_name)


async def get_channel(visit: Visit, name: str) -> Reply:
    """One channel, with its consumers."""
    channel = next((each for each in _seen(visit) if _name(each) == name), None)
    if channel is None:
        raise ApiFault(404, f"there is no channel '{name}'")
    by_ledger = ledgers(visit)
    consumers = channel.ledger.consumers.values()
    details = [consumer_row(each, channel.host.name, by_ledger) for each in consumers]
    return one(visit, _row(channel) | {"consumer_details": details, "deliveries": [], "publishes": []})


def channel_rows(sessions: Iterable[AmqpSession]) -> list[dict[str, Any]]:
    """The channels of some sessions."""
    return [_row(channel) for session in sessions for channel in session.channels.values()]


def _seen(visit: Visit) -> list[Channel]:
    return [
        channel
        for session in visit.front.sessions
        if session.is_open and (visit.sees_all or session.user_name == visit.user.name)
        for channel in session.channels.values()
    ]


def _name(channel: Channel) -> str:
    return channel_name(channel.session, channel.number)


def _row(channel: Channel) -> dict[str, Any]:
    session, ledger, publishing = channel.session, channel.ledger, channel.publishing
    host, port = peer_of_session(session)
    return {
        "name": _name(channel),
        "number": channel.number,
        "user": session.user_name,
        "vhost": channel.host.name,
        "node": node_name(),
        "state": "running",
        "connection_details": {"name": connection_name(session), "peer_host": host, "peer_port": port},
        "confirm": publishing.confirms,
        "transactional": channel.transaction is not None,
        "consumer_count": len(ledger.consumers),
        "prefetch_count": channel.prefetch,
        "global_prefetch_count": ledger.prefetch,
        "messages_unacknowledged": len(ledger.unsettled),
        "messages_unconfirmed": publishing.unconfirmed,
        "message_stats": {"deliver_get": ledger.last_tag, "publish": publishing.sent},
    }
