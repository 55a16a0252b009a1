"""The WebSocket gateway: live clients of an application, over as many gateways as it takes.

Clients open a session with a token, send requests that become jobs, get the replies, and whatever is sent to
their user or to a room they are in; after a loss they resume where they were, at any gateway. `Gateway` is
the server, `Policy` what the application decides, `Sender` how it reaches clients; penstock.js is the
browser's side.
"""

from penstock.workers.gateway.envelope import Request
from penstock.workers.gateway.gateway import Gateway
from penstock.workers.gateway.policy import ClientRoute, Policy, content_of, open_rooms
from penstock.workers.gateway.sending import Sender
from penstock.workers.gateway.session import Session, SessionTokens
from penstock.workers.gateway.settings import REPLIES, WEBSOCKET, GatewaySettings, Limits

__all__ = [
    "REPLIES",
    "WEBSOCKET",
    "ClientRoute",
    "Gateway",
    "GatewaySettings",
    "Limits",
    "Policy",
    "Request",
    "Sender",
    "Session",
    "SessionTokens",
    "content_of",
    "open_rooms",
]
