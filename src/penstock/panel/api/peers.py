"""Who is at the other end of a session, and what it and its channels are called."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import asyncio

    from penstock.server.amqp.session import AmqpSession
    from penstock.server.beanstalk.session import BeanstalkSession

__all__ = ["channel_name", "connection_name", "own_end", "peer_of_session", "user_of"]


def peer_of_session(session: AmqpSession | BeanstalkSession) -> tuple[str, int]:
    """The peer's address; nobody's for one in this process."""
    return _end(session.transport, "peername")


def own_end(session: AmqpSession | BeanstalkSession) -> tuple[str, int]:
    """Our own address, as the peer sees it."""
    return _end(session.transport, "sockname")


def connection_name(session: AmqpSession | BeanstalkSession) -> str:
    """RabbitMQ's name for a connection; those of this process have no addresses, and a number instead."""
    host, port = peer_of_session(session)
    if not host:
        return f"here {id(session):x}"
    own_host, own_port = own_end(session)
    return f"{host}:{port} -> {own_host}:{own_port}"


def channel_name(session: AmqpSession | BeanstalkSession, number: int) -> str:
    """RabbitMQ's name for a channel."""
    return f"{connection_name(session)} ({number})"


def user_of(session: AmqpSession | BeanstalkSession) -> str:
    """Who is at the other end, as far as it has said."""
    guard = getattr(session, "guard", None)
    return guard.user if guard is not None else ""


def _end(transport: asyncio.Transport, which: str) -> tuple[str, int]:
    found = transport.get_extra_info(which)
    return (found[0], found[1]) if isinstance(found, tuple) else ("", 0)
