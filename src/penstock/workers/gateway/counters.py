"""What a gateway counts."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Counters"]


@dataclass(slots=True)
class Counters:
    """Since the start, but for `connected`."""

    #: Clients with a session, now.
    connected: int = 0
    #: Sessions that were opened.
    opened: int = 0
    #: Connections that were not let in: no session in time, a bad token, a foreign page, too many.
    turned_away: int = 0
    #: Connections that ended without a farewell.
    died: int = 0
    #: Clients that came again with a mark, and those of them who may have missed something.
    resumed: int = 0
    gaps: int = 0
    requests: int = 0
    refused: int = 0
    #: Messages from the channels, and those that nobody could get.
    heard: int = 0
    passed_over: int = 0
    #: Frames to clients.
    sent: int = 0
    #: Clients that were closed for not reading.
    too_slow: int = 0

    def __str__(self) -> str:
        return ", ".join(f"{name} {getattr(self, name)}" for name in self.__slots__)
