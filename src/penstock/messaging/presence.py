"""Presence: what a worker, or an outbox's relay, tells of itself every few seconds to whoever wants to know.

It is sent to a fanout exchange, on every broker, and kept nowhere: without a listener it is dropped. Who is
not heard for a while is gone.
"""

from __future__ import annotations

from typing import Any, Final

import msgspec

from penstock.client import Exchange
from penstock.messaging.message import Destination, Message
from penstock.messaging.topology.model import Topology

__all__ = [
    "APART",
    "EXCHANGE",
    "GONE_AFTER",
    "RELAY",
    "TO",
    "TOPOLOGY",
    "WORKER",
    "AtWork",
    "Presence",
    "message_of",
    "read",
]

EXCHANGE: Final = "penstock.workers"
TO: Final = Destination(EXCHANGE, "")
TOPOLOGY: Final = Topology(exchanges=(Exchange(EXCHANGE, "fanout"),))
#: Seconds from one message to the next, and without one after which a worker is gone.
APART: Final = 2.0
GONE_AFTER: Final = 10.0
#: Who tells.
WORKER: Final = "worker"
RELAY: Final = "relay"


class AtWork(msgspec.Struct, frozen=True, kw_only=True):
    """A job that is being done."""

    id: str
    route: str
    queue: str
    #: Which try it is, from 1.
    attempt: int
    started_at: float
    #: What its handler reported last.
    progress: Any = None


class Presence(msgspec.Struct, frozen=True, kw_only=True):
    """A worker or a relay, now."""

    kind: str = WORKER
    #: Its own, and nobody else's.
    name: str
    host: str
    pid: int
    started_at: float
    #: What it takes from: a relay from the outbox of that name.
    queues: list[str]
    #: Jobs since it started; a relay's messages, and its batches that failed.
    done: int
    failed: int
    #: Why the last did, if it did.
    trouble: str | None = None
    jobs: list[AtWork]
    #: It takes no more, and is not heard again.
    is_leaving: bool = False


def message_of(presence: Presence) -> Message:
    """The message that tells it: worth nothing after a while."""
    # What a handler reported may be anything, where nobody waits for it.
    body = msgspec.json.encode(presence, enc_hook=str)
    return Message(body=body, durable=False, expires_in=GONE_AFTER)


def read(body: bytes) -> Presence | None:
    """What somebody told; None if that is no worker's."""
    try:
        return msgspec.json.decode(body, type=Presence)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None
