"""What a gateway is told: where it listens, which channels it hears, and its limits. Values."""

from __future__ import annotations

import re
import socket
from dataclasses import dataclass, field
from typing import Final

from penstock.errors import BadSetting
from penstock.settings.address import Address

__all__ = ["REPLIES", "WEBSOCKET", "GatewaySettings", "Limits"]

#: The channel on which everybody reaches the clients of all gateways.
WEBSOCKET: Final = "ps_websocket"
#: The queue on which one reaches them by a job: replies, and whoever speaks as in Keno Antigen.
REPLIES: Final = "fg_websocket"

#: Where it listens unless it is told.
HERE: Final = Address("127.0.0.1", 8100)
#: A RabbitMQ whose consumer leaves a message unacknowledged for half an hour takes its channel away.
LONGEST_HISTORY: Final = 25 * 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What a peer can cost."""

    connections: int = 10_000
    connections_of_a_user: int = 50
    #: Seconds from the connection to its session.
    open_within: float = 10.0
    #: Characters of a request.
    request: int = 65_536
    #: Requests a second, and how many may come at once.
    pace: float = 20.0
    burst: int = 100
    rooms: int = 100
    #: Answers of a client that may be waited for at a time.
    waiting: int = 100
    #: Bytes that wait for a client that does not read.
    unsent: int = 1_048_576
    #: Messages that are kept for clients that come again: for each user and room, and in all.
    history: int = 200
    history_in_all: int = 20_000
    #: Seconds that they are kept.
    history_lasts: float = 300.0
    #: Seconds between two heartbeats.
    heartbeat: float = 10.0

    def __post_init__(self) -> None:
        if not 0 < self.history_lasts <= LONGEST_HISTORY:
            raise BadSetting(
                f"history is kept for at most {LONGEST_HISTORY:.0f} s: RabbitMQ allows half an hour",
                setting="history_lasts",
            )
        if not 0 < self.history <= self.history_in_all <= LONGEST_IN_ALL:
            raise BadSetting(
                f"history has at least one message, and {LONGEST_IN_ALL} in all at most", setting="history"
            )


#: Messages in hand are counted with 16 bits (AMQP 0-9-1, basic.qos), and a batch comes before the oldest go.
LONGEST_IN_ALL: Final = 60_000


@dataclass(frozen=True, slots=True, kw_only=True)
class GatewaySettings:
    """How a gateway is set up."""

    address: Address = HERE
    #: What it is called. One that starts again under its name has its history again; no two may share one.
    name: str = ""
    #: Whose pages may connect: https://example.org. Besides these, pages of the gateway's own host may.
    origins: frozenset[str] = frozenset()
    #: Channels that it hears besides its own, such as ps_building.
    channels: tuple[str, ...] = ()
    limits: Limits = field(default_factory=Limits)

    @property
    def pipe(self) -> str:
        """The pipe that brings what the clients get."""
        name = self.name or f"{socket.gethostname()}-{self.address.port}"
        return f"{WEBSOCKET}_{re.sub('[^A-Za-z0-9.:-]', '-', name)[:80]}"
