"""A link: an AMQP connection that comes back, and how many channels are meant to be on it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.client.connection import Connection
from penstock.client.keeping import KeptConnection

if TYPE_CHECKING:
    from penstock.client.counters import Counters
    from penstock.client.road import Road
    from penstock.client.settings import ClientSettings
    from penstock.clock import Clock

__all__ = ["Link"]


class Link(KeptConnection[Connection]):
    """One connection at a time, kept for as long as the client lives."""

    def __init__(
        self, name: str, road: Road, settings: ClientSettings, counters: Counters, clock: Clock
    ) -> None:
        super().__init__(name, road, settings, counters, clock)
        #: Channels that somebody means to have here.
        self.load = 0
