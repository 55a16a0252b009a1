"""Heralding: whoever is at work tells of itself every few seconds (presence.py), for a panel to show.

Nothing is noted for it while work is done: it looks at what is in hand when it tells.
"""

from __future__ import annotations

import asyncio
import logging
import os
import secrets
import socket
from abc import ABC, abstractmethod
from contextlib import suppress
from typing import TYPE_CHECKING

from penstock.clock import sleep
from penstock.errors import PenstockError
from penstock.messaging import presence
from penstock.messaging.tracing import untraced

if TYPE_CHECKING:
    from penstock.messaging.port import Broker
    from penstock.messaging.presence import Presence

__all__ = ["Herald"]

_log = logging.getLogger(__name__)


class Herald(ABC):
    """Tells of one that is at work. `start` it and `stop` it."""

    def __init__(self, broker: Broker) -> None:
        self._broker = broker
        self._host, self._pid = socket.gethostname(), os.getpid()
        #: Several may live in one process.
        self._name = f"{self._host}-{self._pid}-{secrets.token_hex(2)}"
        self._started_at = broker.clock.now()
        self._telling: asyncio.Task[None] | None = None

    def __repr__(self) -> str:
        return f"<Herald of {self._name}{'' if self._telling else ', silent'}>"

    @abstractmethod
    def presence(self, *, is_leaving: bool = False) -> Presence:
        """What there is to tell now."""

    async def start(self) -> None:
        """Tell from now on; where that is not permitted, or a broker has no place for it, not at all."""
        try:
            await self._broker.initialize(presence.TOPOLOGY)
        except PenstockError as exc:
            _log.info("no panel will show %s: %s", self._name, exc)
            return
        self._telling = asyncio.create_task(self._tell_on(), name="herald")

    async def stop(self) -> None:
        """Take leave."""
        telling, self._telling = self._telling, None
        if telling is not None:
            telling.cancel()
            await asyncio.gather(telling, return_exceptions=True)
            await self._tell(is_leaving=True)

    async def _tell_on(self) -> None:
        while True:
            await self._tell()
            await sleep(self._broker.clock, presence.APART)

    async def _tell(self, *, is_leaving: bool = False) -> None:
        try:
            # Nobody listens, or the broker is away: it is told again soon.
            with suppress(PenstockError), untraced():
                told = presence.message_of(self.presence(is_leaving=is_leaving))
                await self._broker.publish(told, presence.TO, timeout=presence.APART)
        except Exception:  # noqa: BLE001  an id or a report that JSON cannot say: it will not be in hand for ever
            _log.exception("what %s is at cannot be told", self._name)
