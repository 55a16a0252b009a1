"""How a client introduces itself, and what a refusal means."""

from __future__ import annotations

import platform
from typing import TYPE_CHECKING

from penstock import __version__
from penstock.client.numbers import MOST_CHANNELS
from penstock.errors import BrokerRefused, ClientError, LoginRefused, NotConnected
from penstock.wire.amqp import ClientHandshake, Tuning
from penstock.wire.amqp.constants import ReplyCode

if TYPE_CHECKING:
    from penstock.client.settings import ClientSettings
    from penstock.client.url import BrokerUrl
    from penstock.wire.amqp.table import Table

__all__ = ["client_properties", "handshake", "refusal"]


def client_properties(name: str) -> Table:
    """What the broker's operators see, and what we understand."""
    return {
        "product": "Penstock",
        "version": __version__,
        "platform": f"Python {platform.python_version()}",
        "connection_name": name,
        "capabilities": {
            "publisher_confirms": True,
            "exchange_exchange_bindings": True,
            "basic.nack": True,
            "consumer_cancel_notify": True,
            "connection.blocked": True,
            "authentication_failure_close": True,
        },
    }


def handshake(url: BrokerUrl, settings: ClientSettings, name: str) -> ClientHandshake:
    """The conversation that opens a connection. The URL's own limits go before the settings'."""
    wanted = Tuning(
        channel_max=MOST_CHANNELS if url.channel_max is None else url.channel_max,
        frame_max=settings.frame_max if url.frame_max is None else url.frame_max,
        heartbeat=settings.heartbeat if url.heartbeat is None else url.heartbeat,
    )
    return ClientHandshake(url.responses, url.virtual_host, client_properties(name), wanted)


def refusal(code: int, text: str, *, was_open: bool) -> ClientError:
    """Why the broker ended the connection."""
    if not was_open and code in (ReplyCode.ACCESS_REFUSED, ReplyCode.NOT_ALLOWED):
        # A limit of connections is not for good: one of ours may only look alive to the broker.
        return NotConnected(text) if "limit" in text else LoginRefused(text)
    if code in (ReplyCode.CONNECTION_FORCED, ReplyCode.SUCCESS, 0):
        return NotConnected(f"the broker closed the connection: {text}")
    return BrokerRefused(text, code=code)
