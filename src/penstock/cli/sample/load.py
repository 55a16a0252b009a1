"""The waterworks at work: moment after moment, until it is asked to stop."""

from __future__ import annotations

import asyncio
import logging
import signal
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, Any, Final

from penstock.cli.sample.events import CHANNEL, JOBS, LevelMeasured, Valve
from penstock.cli.sample.readings import BROKEN, doings, gauge_at, level_at
from penstock.cli.sample.waterworks import Waterworks, database_file
from penstock.clock import SystemClock, sleep
from penstock.errors import PenstockError
from penstock.messaging import open_amqp_broker
from penstock.workers import Jobs, Schedules
from penstock.workers.fan import FanExchange

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping
    from pathlib import Path

    from penstock.cli.sample.dids import Registry
    from penstock.cli.sample.readings import Doing

__all__ = ["Load", "rest", "run_load"]

log = logging.getLogger(__name__)

#: Moments between two operations on a DID, and between two tidyings.
DID_EVERY: Final = 150
FORGET_EVERY: Final = 3000
#: Seconds until a repair is due: long enough to be cancelled, or hurried, by hand.
REPAIR_IN_S: Final = 45.0
#: Seconds without a word after a failure.
REST_S: Final = 5.0


def run_load(
    folder: Path, url: str, *, rate: float, registry: Registry | None, tell_ready: Callable[[], object]
) -> None:
    """Be the waterworks until a signal comes.

    Args:
        folder: Where it keeps its database.
        url: The broker.
        rate: Moments a second; 0 is at rest, and nothing happens but what others send.
        registry: Whose DIDs change now and then, if anybody's do.
        tell_ready: Called when it is at work.

    Raises:
        ClientError: the broker cannot be reached.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    asyncio.run(_run(folder, url, rate, registry, tell_ready))


async def _run(
    folder: Path, url: str, rate: float, registry: Registry | None, tell_ready: Callable[[], object]
) -> None:
    schedules = Schedules(f"sqlite:///{database_file(folder)}")
    async with AsyncExitStack() as opened:
        opened.callback(schedules.close)
        await schedules.run(schedules.create)
        waterworks = await opened.enter_async_context(Waterworks(folder, url))
        broker = await open_amqp_broker(url)
        opened.push_async_callback(broker.close)
        jobs = await opened.enter_async_context(Jobs(broker, schedules))
        load = Load(waterworks, jobs, FanExchange(broker), registry)
        working = asyncio.create_task(load.run(1 / rate) if rate else rest())
        for number in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(number, working.cancel)
        tell_ready()
        await asyncio.wait({working})


async def rest() -> None:
    """Do nothing, until it is cancelled."""
    await asyncio.Event().wait()


class Load:
    """All doings of the waterworks, one after the other."""

    def __init__(
        self, waterworks: Waterworks, jobs: Jobs, fan: FanExchange, registry: Registry | None
    ) -> None:
        self._waterworks = waterworks
        self._jobs = jobs
        self._fan = fan
        self._registry = registry
        self._clock = SystemClock()
        self._registering: asyncio.Task[None] | None = None
        self._verbs: Mapping[str, Callable[[str], Awaitable[Any]]] = {
            "tell": self._tell,
            "inspect": lambda valve: self._put("/valve/inspect", valve),
            "repair": self._repair,
            "test": lambda valve: self._put("/pump/test", valve, priority=3),
            "break": lambda _valve: self._measure(BROKEN, -1.0),
        }

    async def run(self, pause: float) -> None:
        """Moment after moment; what fails is logged, and the next moment comes."""
        moment = 0
        while True:
            moment += 1
            try:
                await self.live(moment)
            except PenstockError as exc:
                log.warning("the waterworks rests for a while: %s", exc)
                await sleep(self._clock, REST_S)
            await sleep(self._clock, pause)

    async def live(self, moment: int) -> None:
        """One moment: a gauge is read, and what else is due is done."""
        await self._measure(gauge_at(moment), level_at(moment))
        for doing in doings(moment):
            await self._do(doing)
        if moment % FORGET_EVERY == 0:
            await self._waterworks.forget(self._clock.now())
        if self._registry is not None and moment % DID_EVERY == 1:
            self._register(self._registry)

    async def _do(self, doing: Doing) -> None:
        await self._verbs[doing.kind](doing.valve)

    async def _measure(self, gauge: str, level: float) -> None:
        await self._waterworks.measure(LevelMeasured(gauge=gauge, level=level, at=self._clock.now()))

    async def _tell(self, valve: str) -> None:
        await self._fan.publish(CHANNEL, {"route": "/valve/seen", "content": {"valve": valve}})

    async def _put(self, route: str, valve: str, **how: Any) -> None:
        await self._jobs.put(JOBS, route, Valve(valve=valve), **how)

    async def _repair(self, valve: str) -> None:
        await self._put("/valve/repair", valve, key=f"repair {valve}", delay=REPAIR_IN_S)

    def _register(self, registry: Registry) -> None:
        """In a thread, and one at a time: a domain may take its time, and nobody waits for it."""
        if self._registering is None or self._registering.done():
            self._registering = asyncio.create_task(asyncio.to_thread(registry.next))
