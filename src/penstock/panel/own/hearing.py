"""Hearing: who is at work, as workers and relays tell it every few seconds (penstock.messaging.presence).

A queue of our own on the exchange that they tell it to; it is opened when somebody first asks, so that a
panel at which nobody looks costs nothing. Who has not been heard for a while is left out.
"""

from __future__ import annotations

import asyncio
from secrets import token_hex
from typing import TYPE_CHECKING, Final

from penstock.client import Binding, Queue
from penstock.messaging import presence
from penstock.messaging.topology.model import Topology
from penstock.panel.own.port import Job, Relay, Worker

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from penstock.clock import Clock
    from penstock.messaging import Broker, Received
    from penstock.messaging.presence import AtWork, Presence

__all__ = ["Hearing"]

#: Messages in hand, and in the queue: one that is too much is soon told again.
PREFETCH: Final = 100
MOST: Final = 10_000
#: Milliseconds without a listener after which the queue goes, if we have died.
UNUSED_MS: Final = 60_000


class Hearing:
    """Workers and relays, by what they told last."""

    def __init__(self, lend: Callable[[], Awaitable[Broker]], clock: Clock) -> None:
        """Listen on the broker that is lent when it is needed."""
        self._lend = lend
        self._clock = clock
        self._heard: dict[str, tuple[float, Presence]] = {}
        self._starting: asyncio.Task[None] | None = None

    def __repr__(self) -> str:
        return f"<Hearing {len(self._heard)} at work>"

    async def listed(self) -> list[Worker]:
        """Workers that are alive; the first who asks hears of them a moment later."""
        found = [_worker(*told) for told in await self._alive() if told[1].kind == presence.WORKER]
        return sorted(found, key=lambda each: each.name)

    async def relays(self) -> list[Relay]:
        """Relays that are alive, likewise."""
        found = [_relay(*told) for told in await self._alive() if told[1].kind == presence.RELAY]
        return sorted(found, key=lambda each: each.name)

    async def _alive(self) -> list[tuple[float, Presence]]:
        if self._starting is None or (self._starting.done() and self._starting.exception() is not None):
            self._starting = asyncio.create_task(self._listen(), name="hearing")
        await asyncio.wait({self._starting})
        if (failed := self._starting.exception()) is not None:
            raise failed
        oldest = self._clock.now() - presence.GONE_AFTER
        self._heard = {name: told for name, told in self._heard.items() if told[0] >= oldest}
        return list(self._heard.values())

    async def _listen(self) -> None:
        broker = await self._lend()
        name = f"penstock.panel.{token_hex(8)}"
        queue = Queue(name, arguments={"x-expires": UNUSED_MS, "x-max-length": MOST})
        here = Topology(queues=(queue,), bindings=(Binding(presence.EXCHANGE, name),))
        await broker.initialize(presence.TOPOLOGY + here)
        await broker.subscribe(name, self._hear, prefetch=PREFETCH)

    def _hear(self, received: list[Received]) -> None:
        for each in received:
            told = presence.read(each.body)
            if told is not None:
                self._note(told)
            each.ack()

    def _note(self, told: Presence) -> None:
        if told.is_leaving:
            self._heard.pop(told.name, None)
        else:
            self._heard[told.name] = self._clock.now(), told


def _worker(seen_at: float, told: Presence) -> Worker:
    return Worker(
        name=told.name,
        host=told.host,
        pid=told.pid,
        started_at=told.started_at,
        seen_at=seen_at,
        queues=told.queues,
        done=told.done,
        failed=told.failed,
        jobs=[_job(each) for each in told.jobs],
    )


def _relay(seen_at: float, told: Presence) -> Relay:
    return Relay(
        name=told.name,
        outbox=", ".join(told.queues),
        host=told.host,
        pid=told.pid,
        started_at=told.started_at,
        seen_at=seen_at,
        relayed=told.done,
        failures=told.failed,
        trouble=told.trouble,
    )


def _job(told: AtWork) -> Job:
    share = _share(told.progress)
    return Job(
        id=told.id,
        route=told.route,
        queue=told.queue,
        attempt=told.attempt,
        started_at=told.started_at,
        progress=share,
        note=told.progress if share is None else None,
    )


def _share(progress: object) -> float | None:
    """What was reported, if it is a part of 1."""
    if isinstance(progress, bool) or not isinstance(progress, int | float):
        return None
    return float(progress) if 0 <= progress <= 1 else None
