"""The channels that publishes share: opened when needed, the same one while it can take more.

Keeping to one channel keeps what is published in a row in a row, and lets one confirm answer many. With a
size of 0 each publish has a channel of its own, which leaves with it.
"""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

from penstock.client.publisher_channel import PublisherChannel

if TYPE_CHECKING:
    from penstock.client.connection import Connection

__all__ = ["ChannelPool"]


class ChannelPool:
    """The publisher channels of the connection of the moment."""

    def __init__(self, size: int, window: int) -> None:
        """At most `size` channels, each with at most about `window` unconfirmed messages."""
        self._size = size
        self._window = window
        self._channels: dict[PublisherChannel, None] = {}
        self._current: PublisherChannel | None = None

    def __repr__(self) -> str:
        return f"<ChannelPool {len(self._channels)} of {self._size} channels>"

    @property
    def is_idle(self) -> bool:
        """Whether everything is settled."""
        return not any(channel.confirms.pending for channel in self._channels)

    def maybe_channel(self, connection: Connection) -> PublisherChannel | None:
        """A channel that can take something now."""
        if not self._size:
            return self._maybe_open(connection, is_for_one=True)
        channel = self._current
        if channel is None or not channel.is_open or len(channel.confirms.pending) >= self._window:
            self._current = channel = self._choose(connection)
        return channel

    def _choose(self, connection: Connection) -> PublisherChannel | None:
        least = min(self._channels, key=lambda channel: len(channel.confirms.pending), default=None)
        if least is not None and not least.confirms.pending:
            return least
        if len(self._channels) < self._size and (opened := self._maybe_open(connection)) is not None:
            return opened
        if least is not None and len(least.confirms.pending) < self._window:
            return least
        return None

    def _maybe_open(self, connection: Connection, *, is_for_one: bool = False) -> PublisherChannel | None:
        if not connection.has_room:
            return None
        channel = PublisherChannel(connection, is_for_one=is_for_one, on_end=self._gone)
        self._channels[channel] = None
        return channel

    def _gone(self, channel: PublisherChannel) -> None:
        self._channels.pop(channel, None)

    def expire(self, now: float) -> float:
        """Give up what is past its deadline; when the next one will be."""
        return min((channel.expire(now) for channel in list(self._channels)), default=inf)
