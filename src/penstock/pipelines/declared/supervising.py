"""Several pipelines in one session, until they are asked to stop."""

from __future__ import annotations

import threading
from contextlib import ExitStack
from typing import TYPE_CHECKING

from penstock.pipelines.declared.bridge import quiet_bridge
from penstock.pipelines.declared.executors import demand_importable
from penstock.pipelines.declared.listener import ProgressListener
from penstock.pipelines.declared.place import Place
from penstock.pipelines.declared.running import RunningPipeline
from penstock.pipelines.declared.status import State
from penstock.pipelines.listening import listen

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from pyspark.sql import SparkSession

    from penstock.clock import Clock
    from penstock.pipelines.declared.progress import Metrics
    from penstock.pipelines.declared.registry import Pipelines

__all__ = ["Supervisor"]


class Supervisor:
    """Runs pipelines side by side: one that fails leaves the others alone."""

    def __init__(
        self, pipelines: Pipelines, data: Path, spark: SparkSession, *, clock: Clock, once: bool = False
    ) -> None:
        """Pipelines that are to run.

        Args:
            pipelines: Which.
            data: The folder of them all, with one for each in it.
            spark: The session.
            clock: Tells the time.
            once: They end when everything that is there now is done.
        """
        self._spark = spark
        self._places = {each.name: Place(data, each.name) for each in pipelines}
        self._running = [
            RunningPipeline(each, self._places[each.name], spark, clock=clock, once=once)
            for each in pipelines
        ]

    def run(self) -> Mapping[str, State]:
        """Run them to their end; what the end of each was.

        Raises:
            PenstockError: one of them cannot be run as it is; none was started.
        """
        with ExitStack() as stack:
            for place in self._places.values():
                stack.enter_context(place.held())
            self._check()
            stack.enter_context(quiet_bridge())
            listener = ProgressListener()
            for each in self._running:
                listener.tell(each.pipeline.name, each.heard)
            stack.callback(listen(self._spark, listener.hear))
            return self._side_by_side()

    def stop(self) -> None:
        """Ask them to stop, each after the batch that it is about. A signal's handler may call this."""
        for each in self._running:
            each.stop()

    def metrics(self) -> dict[str, Metrics]:
        """The numbers of each, as they are now."""
        return {each.pipeline.name: each.metrics for each in self._running}

    def _check(self) -> None:
        for each in self._running:
            each.pipeline.source.check(each.pipeline.name)
            each.pipeline.source.demand_free(each.pipeline.name)
            each.pipeline.sink.check(each.pipeline.name)
            if each.pipeline.set_aside_to is not None:
                each.pipeline.set_aside_to.check(each.pipeline.name)
        demand_importable(self._spark, {name for each in self._running for name in each.pipeline.modules})
        for each in self._running:
            each.check()

    def _side_by_side(self) -> dict[str, State]:
        ends: dict[str, State] = {}

        def run(each: RunningPipeline) -> None:
            ends[each.pipeline.name] = State.FAILED
            _adopt(self._spark)
            # Whoever has fewer tasks running gets the next free core, and waits for no other's whole batch.
            self._spark.sparkContext.setLocalProperty("spark.scheduler.pool", each.pipeline.name)
            ends[each.pipeline.name] = each.run()

        threads = [
            threading.Thread(target=run, args=(each,), name=f"pipeline {each.pipeline.name}")
            for each in self._running
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return ends


def _adopt(spark: SparkSession) -> None:
    """Make it this thread's own: Spark looks there for formats that Python has registered."""
    jvm = spark._jvm  # noqa: SLF001 (pyspark has no other way)
    if jvm is not None:
        jvm.SparkSession.setActiveSession(spark._jsparkSession)  # noqa: SLF001 (the same)
