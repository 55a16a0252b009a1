"""A pipe from the subscriber's side: messages one after another."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from typing import Self

    from penstock.messaging import Received

__all__ = ["Pipe"]

log = logging.getLogger(__name__)


class Pipe:
    """What comes through a pipe. Iterate over it, in one task.

    A message is done with when the next one is asked for; the broker gives those that were not to the next
    subscriber of the same pipe.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self._waiting: deque[Received] = deque()
        self._in_hand: Received | None = None
        self._has_come = asyncio.Event()

    def __repr__(self) -> str:
        return f"<Pipe {self.name}, {len(self._waiting)} waiting>"

    def receive(self, several: list[Received]) -> None:
        """Take what the broker hands over."""
        self._waiting.extend(several)
        self._has_come.set()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Any:
        self._done()
        while True:
            while not self._waiting:
                self._has_come.clear()
                await self._has_come.wait()
            received = self._in_hand = self._waiting.popleft()
            if received.is_lost:
                received.requeue()
                continue
            try:
                return msgspec.json.decode(received.body)
            except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as exc:
                # It is published, so it is not ours alone to bury; everybody else's copy is just as bad.
                log.warning("%s: a message is no JSON and is passed over: %s", self.name, exc)
                self._done()

    def close(self) -> None:
        """Give back what was not done with."""
        held = [self._in_hand] if self._in_hand is not None else []
        for received in reversed([*held, *self._waiting]):
            received.requeue()
        self._waiting.clear()
        self._in_hand = None

    def _done(self) -> None:
        if self._in_hand is not None:
            self._in_hand.ack()
            self._in_hand = None
