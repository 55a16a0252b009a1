"""One pipeline, run until it is asked to stop: started, restarted after failures, its progress told.

It lives on a thread of its own, so that others go on while it waits or looks for poison. Whatever Spark or
its own code raises ends an attempt, not the pipeline.
"""

from __future__ import annotations

import json
import logging
import threading
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from py4j.protocol import Py4JError, Py4JNetworkError
from pyspark.errors import PySparkException

from penstock.errors import BadPipeline, ColumnsChanged, PenstockError
from penstock.pipelines.declared.aside import Aside
from penstock.pipelines.declared.course import Course, Next
from penstock.pipelines.declared.poison import without
from penstock.pipelines.declared.progress import Progress
from penstock.pipelines.declared.reasons import reason_of
from penstock.pipelines.declared.status import State, Status, write_status
from penstock.pipelines.tables.columns import fit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

    from penstock.clock import Clock
    from penstock.pipelines.declared.pipeline import Pipeline
    from penstock.pipelines.declared.place import Place
    from penstock.pipelines.declared.poison import PoisonRow
    from penstock.pipelines.declared.progress import Metrics

__all__ = ["RunningPipeline"]

log = logging.getLogger(__name__)

#: Seconds between two looks whether a query has ended or is to stop.
LOOK_S: Final = 0.1
#: Seconds that the last batch may take to its end; then it is broken off, and done again by the next run.
GRACE_S: Final = 30.0
#: Failures beyond the first suspicion after which a run that is to end gives up.
FURTHER: Final = 2
#: Java has ended, and Spark with it: another attempt needs another process.
GONE: Final = (Py4JNetworkError, ConnectionError)


class RunningPipeline:
    """A pipeline in a session."""

    def __init__(
        self, pipeline: Pipeline, place: Place, spark: SparkSession, *, clock: Clock, once: bool = False
    ) -> None:
        """A pipeline that is to run.

        Args:
            pipeline: Which.
            place: Where it keeps its checkpoint; it is held.
            spark: The session that it shares with others.
            clock: Tells the time.
            once: It ends when everything that is there now is done.
        """
        self.pipeline = pipeline
        self._place = place
        self._spark = spark
        self._clock = clock
        self._once = once
        self._course = Course(
            pipeline.suspect_after, give_up_after=pipeline.suspect_after + FURTHER if once else None
        )
        self._stop = threading.Event()
        #: A batch is done.
        self._heard = threading.Event()
        #: Spark tells of progress on another thread than the one that runs.
        self._telling = threading.Lock()
        self._aside = Aside(pipeline, place, spark, clock)
        self.status = Status(pipeline=pipeline.name)

    @property
    def metrics(self) -> Metrics:
        """Its numbers, as they are now."""
        return self.status.metrics

    def stop(self) -> None:
        """Ask it to stop, after the batch that it is about."""
        self._stop.set()

    def check(self) -> None:
        """Put everything together but for the start: does Spark understand it, do the rows fit their sink?

        Raises:
            ColumnsChanged: what was written before has other columns.
            BadPipeline: anything else.
        """
        name = self.pipeline.name
        try:
            rows = self.pipeline.transform(self._rows())
            self.pipeline.sink.attach(rows, name)
            if self.pipeline.sink.keeps_columns:
                self._demand_fitting(rows)
        except ColumnsChanged as exc:
            raise ColumnsChanged(f"pipeline {name}: {exc}") from exc
        except (PySparkException, Py4JError, PenstockError) as exc:
            raise BadPipeline(f"pipeline {name} cannot start: {reason_of(exc)}") from exc

    def _demand_fitting(self, rows: DataFrame) -> None:
        """Not every sink knows what was written before; so it is written down."""
        after = fit(rows.schema.jsonValue(), self._place.read(self._place.columns), partitions=())
        self._place.write(self._place.columns, after.table)

    def run(self) -> State:
        """Run it to its end; what that was."""
        poison: Sequence[PoisonRow] | None = None
        self._tell(State.STARTING)
        while not self._stop.is_set():
            try:
                self._gather()
                query = self._start(poison)
                self._tell(State.RUNNING, ui=self._spark.sparkContext.uiWebUrl)
                self._await(query)
                self._gather()
            except Exception as exc:  # noqa: BLE001 (whatever it is, the pipeline outlives it)
                poison = self._failed(exc)
                if self.status.state is State.FAILED:
                    return State.FAILED
            else:
                if self._once and poison is None:
                    return self._tell(State.STOPPED if self._stop.is_set() else State.DONE)
                poison = None
        return self._tell(State.STOPPED)

    def heard(self, progress: Progress) -> None:
        """A batch is done, as Spark tells, late and more than once."""
        with self._telling:
            if self.status.batch is not None and progress.batch <= self.status.batch:
                return
            metrics = self.status.metrics.after(progress)
            self.status = replace(self.status, batch=progress.batch, metrics=metrics)
        self._course.went_on()
        facts = {"batch": progress.batch, "rows": progress.rows, "lag": progress.lag}
        speed = {"rows_per_second": round(progress.rows_per_second, 1)}
        log.info("batch done", extra={"pipeline": self.pipeline.name, **facts, **speed})
        self._heard.set()
        self._tell()

    # One attempt

    def _rows(self) -> DataFrame:
        return self.pipeline.source.load(self._spark, self.pipeline.name)

    def _start(self, poison: Sequence[PoisonRow] | None) -> StreamingQuery:
        """Begin, or go on.

        Args:
            poison: Rows that the pending batch is to do without; and without those that the sink refuses.
                None is a batch like any other.
        """
        rows = without(self._rows(), poison) if poison else self._rows()
        spared = None if poison is None else self._aside.spared
        writer = self.pipeline.sink.attach(self.pipeline.transform(rows), self.pipeline.name, spared)
        writer = writer.queryName(self.pipeline.name).option(
            "checkpointLocation", str(self._place.checkpoint.absolute())
        )
        if poison is not None:
            # One batch, the one that has begun: the filter must not meet rows that are yet to come.
            return writer.trigger(once=True).start()
        if self._once:
            return writer.trigger(availableNow=True).start()
        return writer.trigger(processingTime=f"{self.pipeline.every_ms} milliseconds").start()

    def _await(self, query: StreamingQuery) -> None:
        """Until it ends, or is to stop.

        Raises:
            StreamingQueryException: it has failed.
        """
        try:
            while query.isActive:
                if self._stop.wait(LOOK_S):
                    self._finish(query)
                    return
        finally:
            query.stop()
            for each in query.recentProgress:
                if (progress := Progress.read(json.loads(each.json))) is not None:
                    self.heard(progress)
        if (error := query.exception()) is not None:
            raise error

    def _finish(self, query: StreamingQuery) -> None:
        """Let the batch that is under way be the last."""
        self._heard.clear()
        batches, until = self.metrics.batches, self._clock.now() + GRACE_S
        while query.isActive and query.status["isTriggerActive"] and self.metrics.batches == batches:
            if self._clock.now() > until:
                return
            self._heard.wait(LOOK_S)

    # After a failure

    def _failed(self, error: Exception) -> Sequence[PoisonRow] | None:
        """Find out which rows are to blame, and return those that the sink does not know; or wait."""
        reason, batch = reason_of(error), self._place.pending_batch()
        following = Next.GIVE_UP if isinstance(error, GONE) else self._course.failed(batch)
        self._count(failures=1, error=reason)
        facts = {"pipeline": self.pipeline.name, "batch": batch, "reason": reason}
        if following is Next.GIVE_UP:
            log.error("pipeline failed for good", extra=facts)
            self._tell(State.FAILED)
            return None
        if following is Next.SUSPECT_ROWS and batch is not None:
            poison = self._isolated(batch)
            if poison or self.pipeline.sink.knows_bad_rows:
                return poison
        seconds = self._course.wait()
        log.warning("pipeline failed, and is tried again", extra={**facts, "in_seconds": round(seconds, 1)})
        self._tell(State.WAITING)
        self._stop.wait(seconds)
        return None

    def _isolated(self, batch: int) -> Sequence[PoisonRow]:
        """The rows that are to blame, once they are written down; none if there are none."""
        facts = {"pipeline": self.pipeline.name, "batch": batch}
        self._tell(State.ISOLATING)
        try:
            poison = self._aside.find(batch, self._rows(), self._stop.is_set)
        except Exception as exc:  # noqa: BLE001 (whatever it is, the pipeline outlives it)
            log.warning("no rows were set aside", extra={**facts, "reason": reason_of(exc)})
            return ()
        self._mention(batch, poison)
        return poison

    def _gather(self) -> None:
        """Set aside what the sink has refused; before a crash, perhaps."""
        for batch, poison in self._aside.gather().items():
            self._mention(batch, poison)

    def _mention(self, batch: int, poison: Sequence[PoisonRow]) -> None:
        self._count(set_aside=len(poison))
        for each in poison:
            facts = {"pipeline": self.pipeline.name, "batch": batch, "reason": each.reason}
            log.error("row set aside", extra=facts)

    def _count(self, *, failures: int = 0, set_aside: int = 0, error: str | None = None) -> None:
        with self._telling:
            old = self.status
            failures, set_aside = old.metrics.failures + failures, old.metrics.set_aside + set_aside
            metrics = replace(old.metrics, failures=failures, set_aside=set_aside)
            self.status = replace(old, metrics=metrics, error=error or old.error)

    def _tell(self, state: State | None = None, ui: str | None = None) -> State:
        """Write down how it is doing, in another state if one is given, and where Spark shows it."""
        with self._telling:
            self.status = replace(
                self.status,
                state=self.status.state if state is None else state,
                ui=ui or self.status.ui,
                at=self._clock.now(),
            )
            try:
                write_status(self._place, self.status)
            except OSError as error:
                # A disk that is full is a reason to wait, not to end.
                facts = {"pipeline": self.pipeline.name, "reason": str(error)}
                log.warning("how it is doing could not be written down", extra=facts)
            return self.status.state

    def __repr__(self) -> str:
        return f"<RunningPipeline {self.pipeline.name} {self.status.state}>"
