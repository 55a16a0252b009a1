"""Heartbeat: a session that was silent for too long is dead; one that has nothing to say beats.

A client that sends but takes nothing of what it is sent is dead as well. One that we do not read from
cannot be heard: it is given the benefit of the doubt.
"""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

from penstock.wire.amqp import HEARTBEAT_BYTES

if TYPE_CHECKING:
    from penstock.server.amqp.session import AmqpSession

__all__ = ["Heartbeat"]

log = logging.getLogger(__name__)


class Heartbeat:
    """Looks twice an interval; a read or a write only leaves a mark."""

    __slots__ = ("_handle", "_heard", "_session", "_silent", "_spoke", "_unsent", "interval")

    def __init__(self, session: AmqpSession) -> None:
        self._session = session
        #: Seconds; 0 for none.
        self.interval = 0
        self._handle: asyncio.TimerHandle | None = None
        self._heard = True
        self._spoke = False
        #: Half intervals without a sign of life from the client.
        self._silent = 0
        #: Bytes that waited for the client to read at the last look.
        self._unsent = 0

    def start(self, interval: int) -> None:
        """Expect and give a sign of life each interval, in seconds; 0 for none."""
        self.interval = interval
        if interval:
            self._arm()

    def stop(self) -> None:
        """The connection is over."""
        if self._handle is not None:
            self._handle.cancel()
            self._handle = None

    def heard(self) -> None:
        """Bytes came."""
        self._heard = True

    def spoke(self) -> None:
        """Bytes went."""
        self._spoke = True

    def taken(self) -> None:
        """The client has taken most of what waited for it; more than ever may wait at the next look."""
        self._unsent = 0

    def _arm(self) -> None:
        self._handle = asyncio.get_running_loop().call_later(self.interval / 2, self._look)

    def _look(self) -> None:
        session = self._session
        is_alive = (self._heard or session.is_held) and not self._is_stuck()
        self._silent = 0 if is_alive else self._silent + 1
        self._heard = False
        if self._silent > 4:  # noqa: PLR2004 (two intervals, AMQP 0-9-1 §4.2.7)
            log.warning("closing %r: no sign of life for %s s", session, 2 * self.interval)
            session.transport.abort()
            return
        if not self._spoke and not session.is_clogged and not session.is_sending:
            session.transport.write(HEARTBEAT_BYTES)
        self._spoke = False
        self._arm()

    def _is_stuck(self) -> bool:
        """Whether the client has taken nothing of what waits for it since the last look."""
        before, self._unsent = self._unsent, 0
        if self._session.is_clogged:
            self._unsent = self._session.transport.get_write_buffer_size()
        return 0 < before <= self._unsent
