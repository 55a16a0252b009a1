"""Connections: listed, shown, closed. Everybody sees their own, monitoring sees all."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, TypeAlias

from penstock.panel.api.channels import channel_rows
from penstock.panel.api.listing import listed, one
from penstock.panel.api.nodes import node_name
from penstock.panel.api.peers import connection_name, own_end, peer_of_session, user_of
from penstock.panel.api.samples import Asked, details
from penstock.panel.replies import DONE, ApiFault, json_reply
from penstock.panel.routes import ADMINISTRATOR
from penstock.server.amqp.session import AmqpSession
from penstock.server.beanstalk.session import BeanstalkSession
from penstock.wire.amqp.constants import ReplyCode

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from penstock.panel.replies import Reply
    from penstock.panel.visit import Visit

__all__ = [
    "close_connection",
    "close_of_user",
    "get_connection",
    "list_channels_of",
    "list_connections",
    "list_of_user",
    "list_of_vhost",
]

log = logging.getLogger(__name__)

Session: TypeAlias = AmqpSession | BeanstalkSession


async def list_connections(visit: Visit) -> Reply:
    """All connections that the visitor may see."""
    return await listed(visit, list(_seen(visit)), _row(visit), name=connection_name)


async def list_of_vhost(visit: Visit, vhost: str) -> Reply:
    """Those to a virtual host."""
    visit.host(vhost)
    found = [session for session in _seen(visit) if _vhost(session) == vhost]
    return await listed(visit, found, _row(visit), name=connection_name)


async def list_of_user(visit: Visit, user: str) -> Reply:
    """Those of a user."""
    found = [session for session in _seen(visit) if user_of(session) == user]
    return await listed(visit, found, _row(visit), name=connection_name)


async def get_connection(visit: Visit, name: str) -> Reply:
    """One connection."""
    return one(visit, _row(visit)(_find(visit, name)))


async def list_channels_of(visit: Visit, name: str) -> Reply:
    """The channels of a connection."""
    session = _find(visit, name)
    return json_reply(channel_rows([session]) if isinstance(session, AmqpSession) else [])


async def close_connection(visit: Visit, name: str) -> Reply:
    """Close a connection: one's own, or any if one administers."""
    _close(visit, [_find(visit, name)])
    return DONE


async def close_of_user(visit: Visit, user: str) -> Reply:
    """Close all connections of a user."""
    _close(visit, [session for session in _seen(visit) if user_of(session) == user])
    return DONE


def _close(visit: Visit, sessions: list[Session]) -> None:
    own = visit.user.name
    if ADMINISTRATOR not in visit.tags and any(user_of(session) != own for session in sessions):
        raise ApiFault(403, f"user '{own}' needs the tag {ADMINISTRATOR} to close others' connections")
    # RabbitMQ's words, for clients that look at them.
    reason = visit.headers.get("x-reason", "Closed via management plugin")[:200]
    for session in sessions:
        log.info("closing %s of %r, as %r asked: %s", connection_name(session), user_of(session), own, reason)
        if isinstance(session, AmqpSession):
            session.act(_ending(session, reason))
        else:
            session.transport.close()


def _ending(session: AmqpSession, reason: str) -> Any:
    return lambda: session.end(ReplyCode.CONNECTION_FORCED, reason)


def _seen(visit: Visit) -> Iterator[Session]:
    embedded = visit.panel.embedded
    everybody: list[Session] = [session for session in embedded.front.sessions if session.is_open]
    everybody += embedded.beanstalk.sessions
    return (each for each in everybody if visit.sees_all or user_of(each) == visit.user.name)


def _find(visit: Visit, name: str) -> Session:
    session = next((each for each in _seen(visit) if connection_name(each) == name), None)
    if session is None:
        raise ApiFault(404, f"there is no connection '{name}'")
    return session


def _vhost(session: Session) -> str:
    return session.host.name if isinstance(session, AmqpSession) else session.front.host.name


def _row(visit: Visit) -> Callable[[Session], dict[str, Any]]:
    asked = Asked.by(visit)

    def row(session: Session) -> dict[str, Any]:
        (host, port), (own_host, own_port) = peer_of_session(session), own_end(session)
        told = {
            "name": connection_name(session),
            "user": user_of(session),
            "vhost": _vhost(session),
            "node": node_name(),
            "type": "network" if host else "direct",
            "host": own_host,
            "port": own_port,
            "peer_host": host,
            "peer_port": port,
            "ssl": session.peer.is_tls,
        }
        if isinstance(session, BeanstalkSession):
            return told | _beanstalk(session)
        return told | _amqp(session) | _bytes(visit, asked, session)

    return row


def _amqp(session: AmqpSession) -> dict[str, Any]:
    blocked, about = session.is_held and session.front.blocked is not None, session.introduction
    return {
        "protocol": "AMQP 0-9-1",
        "state": "blocked" if blocked else "closing" if session.is_ending else "running",
        "channels": len(session.channels),
        "channel_max": session.channel_max,
        "frame_max": session.frame_max,
        "timeout": session.heartbeat.interval,
        "auth_mechanism": about.mechanism,
        "client_properties": about.client_properties,
        "user_provided_name": about.client_properties.get("connection_name"),
        "connected_at": int(about.at * 1000),
    }


def _bytes(visit: Visit, asked: Asked, session: AmqpSession) -> dict[str, Any]:
    values = session.received, session.sent
    received, sent = visit.broker.statistics.rates(session, values, visit.broker.now)
    past = asked.past("data_rates", visit, session, values)
    return {
        "recv_oct": values[0],
        "recv_oct_details": details(received, past, 0),
        "send_oct": values[1],
        "send_oct_details": details(sent, past, 1),
    }


def _beanstalk(session: BeanstalkSession) -> dict[str, Any]:
    roles = {"producer": session.is_producer, "worker": session.is_worker}
    return {
        "protocol": "beanstalk",
        "state": "running",
        "channels": 0,
        "client_properties": {"roles": [role for role, is_so in roles.items() if is_so]},
    }
