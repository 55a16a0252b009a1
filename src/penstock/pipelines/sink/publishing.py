"""Publishing many messages until all are confirmed; what is in doubt is published again, with the same id."""

from __future__ import annotations

import asyncio
from collections import deque
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from penstock.client import ClientSettings, connect
from penstock.clock import SystemClock
from penstock.errors import PenstockError, PublishLost, PublishTimeout
from penstock.pipelines.looping import LoopThread
from penstock.pipelines.sink.outgoing import Fault

if TYPE_CHECKING:
    from collections.abc import Sequence
    from concurrent.futures import Future
    from typing import Self

    from penstock.client import Client, Outgoing

__all__ = ["Publishing", "check"]

#: Messages in one write, and writes under way: the next is put together while these are confirmed.
AT_ONCE: Final = 1_000
UNDER_WAY: Final = 4
#: Seconds before what is in doubt is published again.
AGAIN_IN: Final = 0.2


class Publishing:
    """A connection and what is under way on it; use it in a `with` statement."""

    def __init__(self, url: str, timeout: float) -> None:
        """Connect.

        Raises:
            BadUrl, LoginRefused, NotConnected: as of `penstock.client.connect`.
        """
        self._timeout = timeout
        self._clock = SystemClock()
        self._loop = LoopThread("penstock sink")
        self._under_way: deque[Future[list[Fault]]] = deque()
        settings = ClientSettings(name="penstock sink", publish_timeout=timeout)
        try:
            self._client: Client = self._loop.wait(connect(url, settings=settings))
        except BaseException:
            self._loop.end()
            raise

    def __repr__(self) -> str:
        return f"<Publishing {len(self._under_way)} under way by {self._client}>"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(PenstockError):
            self._loop.wait(self._client.close())
        self._loop.end()

    def publish(self, messages: Sequence[Outgoing], rows: Sequence[int]) -> list[Fault]:
        """Send messages on their way; what became of earlier ones, if that is known.

        Args:
            messages: In the order in which they are to be published.
            rows: The number of each one's row.

        Raises:
            PublishError, NotConnected: the broker did not answer for too long.
        """
        faults: list[Fault] = []
        for at in range(0, len(messages), AT_ONCE):
            while len(self._under_way) >= UNDER_WAY:
                faults += self._under_way.popleft().result()
            piece = messages[at : at + AT_ONCE], rows[at : at + AT_ONCE]
            self._under_way.append(self._loop.begin(self._confirmed(*piece)))
        return faults

    def finish(self) -> list[Fault]:
        """Wait for all confirms; what became of those that nobody has told of."""
        faults: list[Fault] = []
        while self._under_way:
            faults += self._under_way.popleft().result()
        return faults

    async def _confirmed(self, messages: Sequence[Outgoing], rows: Sequence[int]) -> list[Fault]:
        until = self._clock.now() + self._timeout
        faults = []
        while messages:
            left = until - self._clock.now()
            results = await self._client.publish_many(messages, max(left, AGAIN_IN))
            doubtful = []
            for message, row, error in zip(messages, rows, results, strict=True):
                if isinstance(error, PublishLost | PublishTimeout):
                    doubtful.append((message, row))
                    last = error
                elif error is not None:
                    faults.append(Fault(row, str(error)))
            if doubtful and self._clock.now() > until:
                raise last
            messages, rows = [message for message, _ in doubtful], [row for _, row in doubtful]
            if messages:
                await asyncio.sleep(AGAIN_IN)
        return faults


def check(url: str) -> None:
    """See that the broker lets us in.

    Raises:
        BadUrl, LoginRefused, NotConnected: as of `penstock.client.connect`.
    """

    async def look() -> None:
        client = await connect(url, settings=ClientSettings(connect_max_retries=1))
        await client.close(0)

    asyncio.run(look())
