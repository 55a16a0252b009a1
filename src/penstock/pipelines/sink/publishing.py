"""Publishing many messages until all are confirmed: what is not is published again, with the same id.

What is in doubt may be there twice; a full queue has room again some time. Only what no queue takes, and what
would be refused again tomorrow, is the row's own fault.
"""

from __future__ import annotations

import asyncio
from collections import deque
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from penstock.client import ClientSettings, connect
from penstock.client.backoff import Backoff
from penstock.clock import SystemClock
from penstock.errors import PenstockError, PublishError, PublishRefused, Unroutable
from penstock.pipelines.looping import LoopThread

if TYPE_CHECKING:
    from collections.abc import Sequence
    from concurrent.futures import Future
    from typing import Self

    from penstock.client import Client, Outgoing
    from penstock.pipelines.sink.outgoing import Fault, FaultOf

__all__ = ["Publishing", "check"]

#: Messages in one write, and writes under way: the next is put together while these are confirmed.
AT_ONCE: Final = 1_000
UNDER_WAY: Final = 4
#: The wait before what is in doubt, or was refused, is published again: a full queue stays so a while.
WAITS: Final = ClientSettings(backoff_initial=0.2, backoff_multiplier=2.0, backoff_max=5.0)


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

    def publish(self, messages: Sequence[Outgoing], rows: Sequence[int], fault_of: FaultOf) -> list[Fault]:
        """Send messages on their way; what became of earlier ones, if that is known.

        Args:
            messages: In the order in which they are to be published.
            rows: Where each one's row stands.
            fault_of: What is wrong with one of these rows.

        Raises:
            PublishError, NotConnected: the broker did not answer for too long, or would not have them.
        """
        faults: list[Fault] = []
        for at in range(0, len(messages), AT_ONCE):
            while len(self._under_way) >= UNDER_WAY:
                faults += self._under_way.popleft().result()
            piece = messages[at : at + AT_ONCE], rows[at : at + AT_ONCE]
            self._under_way.append(self._loop.begin(self._confirmed(*piece, fault_of)))
        return faults

    def finish(self) -> list[Fault]:
        """Wait for all confirms; what became of those that nobody has told of."""
        faults: list[Fault] = []
        while self._under_way:
            faults += self._under_way.popleft().result()
        return faults

    async def _confirmed(
        self, messages: Sequence[Outgoing], rows: Sequence[int], fault_of: FaultOf
    ) -> list[Fault]:
        until, backoff = self._clock.now() + self._timeout, Backoff(WAITS)
        faults = []
        while messages:
            left = max(until - self._clock.now(), WAITS.backoff_initial)
            results = await self._client.publish_many(messages, left)
            again = []
            for message, row, error in zip(messages, rows, results, strict=True):
                if error is None:
                    continue
                if _is_final(error):
                    faults.append(fault_of(row, str(error)))
                else:
                    again.append((message, row))
                    last = error
            if again and self._clock.now() > until:
                told = f"{len(again)} messages after {self._timeout:g} s: {last}"
                raise type(last)(told) from last
            messages, rows = [message for message, _ in again], [row for _, row in again]
            if messages:
                await asyncio.sleep(backoff.next())
        return faults


def _is_final(error: PublishError) -> bool:
    """Whether it will be so tomorrow. A refusal may be about a full queue, or a disk of the broker's."""
    return isinstance(error, Unroutable) or (isinstance(error, PublishRefused) and error.is_final)


def check(url: str) -> None:
    """See that the broker lets us in.

    Raises:
        BadUrl, LoginRefused, NotConnected: as of `penstock.client.connect`.
    """

    async def look() -> None:
        client = await connect(url, settings=ClientSettings(connect_max_retries=1))
        await client.close(0)

    asyncio.run(look())
