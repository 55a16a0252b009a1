"""The batch writer of one domain, put together: the desk on the domain's loop, its door, and the pipeline.

    with writing(places) as pipelines:
        Supervisor(Pipelines(pipelines), data, spark, clock=clock).run()

Several domains have one each, in one session.
"""

from __future__ import annotations

import asyncio
from contextlib import contextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Self, TypeAlias

import msgspec

from penstock.did.domain import WRITER, Domain
from penstock.pipelines.declared.pipeline import Pipeline
from penstock.pipelines.did.writing.deadly import write_cuts
from penstock.pipelines.did.writing.desk import WritingDesk
from penstock.pipelines.did.writing.ends import Cuts, Recorded
from penstock.pipelines.looping import LoopThread
from penstock.pipelines.source.door import Door
from penstock.pipelines.sparing import spare_collections

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Coroutine, Iterator

    from penstock.did.domain import Places
    from penstock.pipelines.did.writing.outcome import Outcome

__all__ = ["BatchWriter", "Wait", "writing"]

#: Has something done on the domain's loop, from another thread, and waits for it: `LoopThread.wait` does.
Wait: TypeAlias = "Callable[[Coroutine[Any, Any, Any]], Any]"
#: A failure is never a single cut's: those that fail come back as rows that say so.
NEVER: Final = 2**31 - 1


@contextmanager
def writing(places: Places) -> Iterator[list[Pipeline]]:
    """The pipelines of a domain's batch writer, to be run in this process before the block ends.

    Raises:
        BadKey, StoreError, ClientError: the domain's parts cannot be opened.
    """
    loop = LoopThread(f"batch writer of {places.word}")
    try:
        domain = loop.wait(Domain(places, roles=[WRITER]).__aenter__())
        try:
            with BatchWriter(domain, loop.wait) as writer:
                yield [writer.pipeline]
        finally:
            loop.wait(domain.__aexit__(None, None, None))
    finally:
        loop.end()


class BatchWriter:
    """While it is entered, the domain's batches are cut, and anchored when Spark has written them."""

    def __init__(self, domain: Domain, wait: Wait) -> None:
        """A batch writer of a domain that is open, and has the role WRITER.

        Args:
            domain: Its parts are on a loop that runs elsewhere.
            wait: Has something done on that loop.
        """
        self._domain = domain
        self._wait = wait

    def __enter__(self) -> Self:
        # As in executors (files.py): a cut comes and goes as a whole, and to look through all that waits for
        # the next ones would take a seventh of the driver's time.
        spare_collections()
        self._desk, self._running = self._wait(self._start())
        self._door = Door(self._due)
        return self

    def __exit__(self, *_: object) -> None:
        self._door.close()
        self._wait(_end(self._running))

    @property
    def pipeline(self) -> Pipeline:
        """What Spark is to run."""
        places = self._domain.places
        return Pipeline(
            name=f"{places.word}.batch-writer",
            source=Cuts(places.queues.operation, self._door.path),
            sink=Recorded(partial(write_cuts, places.to_json()), self._settle, self._more),
            suspect_after=NEVER,
        )

    async def _start(self) -> tuple[WritingDesk, asyncio.Task[None]]:
        domain = self._domain
        desk = WritingDesk(
            domain.operation_queue,
            domain.anchoring.writer,
            domain.database,
            clock=domain.clock,
            max_waits=domain.parameters.op_queue_max_reposts,
            reopen_in=domain.parameters.op_queue_task_monitor_interval,
        )
        return desk, asyncio.create_task(desk.run(), name=f"batch writer of {domain.places.word}")

    def _due(self, _position: int) -> str:
        return msgspec.json.encode(self._wait(self._desk.due())).decode()

    def _more(self, given: Collection[int]) -> int | None:
        number: int | None = self._wait(self._desk.more(given))
        return number

    def _settle(self, outcomes: list[Outcome]) -> None:
        self._wait(self._desk.settle(outcomes))


async def _end(running: asyncio.Task[None]) -> None:
    running.cancel()
    with suppress(asyncio.CancelledError):
        await running
