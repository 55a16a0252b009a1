"""Poison: rows that make a batch fail whatever is done: found, written down with the reason, left out.

The batch that fails is read once more by a query of its own, on a copy of the checkpoint, and never
committed: nothing is acknowledged, nothing goes to the sink. Its rows are tried in halves until those are
found that fail alone, in the transform or in what the sink makes of them. Then the pipeline itself runs that
one batch with a filter before its transform, and goes on without the filter: the transform's state knows
nothing of all this. A sink that knows bad rows by itself spares that one batch from them, too.

A row is known by what is in it: rows that are the same fail for the same reason.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException, StreamingQueryException
from pyspark.sql import functions as F  # noqa: N812 (as Spark's own manual has it)

from penstock.durable import replacing
from penstock.errors import NoRowToBlame, PenstockError
from penstock.pipelines.declared.bisection import find_poison
from penstock.pipelines.declared.reasons import reason_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pyspark.sql import Column, DataFrame, SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

    from penstock.pipelines.declared.pipeline import Pipeline
    from penstock.pipelines.declared.place import Place

__all__ = ["PoisonRow", "as_table", "isolate", "poison_in", "set_aside", "without"]

#: The columns of rows that were set aside.
KEPT: Final = "pipeline STRING, batch LONG, at TIMESTAMP, reason STRING, row STRING"
#: A column that counts the rows of a batch, while they are tried.
NUMBER: Final = "__penstock_row"


@dataclass(frozen=True, slots=True, kw_only=True)
class PoisonRow:
    """A row that fails on its own, or that its sink will not have."""

    #: What it is known by.
    digest: str
    #: The row, as JSON.
    row: str
    reason: str


class _Looked(Exception):
    """The batch was looked at: it must not be committed."""


def isolate(
    pipeline: Pipeline, place: Place, rows: DataFrame, is_over: Callable[[], bool]
) -> list[PoisonRow]:
    """The rows of the pending batch that are to blame for its failure.

    Args:
        pipeline: Whose transform fails.
        place: Where its checkpoint is.
        rows: The pipeline's source, as a stream.
        is_over: Whether somebody wants an end; a search takes its time.

    Raises:
        NoRowToBlame: it does not fail now, or not because of single rows; or nobody wants to know any more.
    """
    answers: list[list[PoisonRow] | Exception] = []

    def look(batch: DataFrame, _: int) -> None:
        try:
            answers.append(poison_in(pipeline, batch, is_over))
        except Exception as exc:  # noqa: BLE001 (it is raised below, where somebody can tell it)
            answers.append(exc)
        raise _Looked

    copy = place.folder / "isolating"
    place.copy_positions(copy)
    try:
        named = rows.writeStream.queryName(f"{pipeline.name}.isolating").trigger(once=True)
        with suppress(StreamingQueryException):
            query = named.foreachBatch(look).option("checkpointLocation", str(copy)).start()
            query.awaitTermination()
    finally:
        shutil.rmtree(copy, ignore_errors=True)
    if not answers:
        raise NoRowToBlame(f"the batch cannot be read again: {_why(query)}")
    if isinstance(answers[0], Exception):
        raise answers[0]
    return answers[0]


def _why(query: StreamingQuery) -> str:
    error = query.exception()
    return "it is no longer there" if error is None else reason_of(error)


def poison_in(
    pipeline: Pipeline, batch: DataFrame, is_over: Callable[[], bool] = lambda: False
) -> list[PoisonRow]:
    """The rows of a batch that fail on their own."""
    numbered = batch.withColumn(NUMBER, F.monotonically_increasing_id()).persist()
    try:
        numbers = sorted(row[0] for row in numbered.select(NUMBER).collect())

        def failure_of(part: range) -> str | None:
            if is_over():
                raise NoRowToBlame("the search was broken off")
            within = F.col(NUMBER).between(numbers[part.start], numbers[part.stop - 1])
            return _failure(pipeline, numbered.where(within).drop(NUMBER))

        if (reason := _failure(pipeline, numbered.limit(0).drop(NUMBER))) is not None:
            raise NoRowToBlame(f"it fails without any rows: {reason}")
        reasons = find_poison(len(numbers), failure_of, pipeline.set_aside_at_most)
        if not reasons:
            raise NoRowToBlame("no row of the batch fails on its own")
        return _described(numbered, {numbers[each]: reason for each, reason in reasons.items()})
    finally:
        numbered.unpersist()


def _failure(pipeline: Pipeline, rows: DataFrame) -> str | None:
    """Why the transform fails on these rows, or the sink would; None if neither does.

    pyspark leaves errors of Java's that it has no class for as they are: a worker that was killed, for one.
    """
    try:
        pipeline.sink.try_out(pipeline.transform(rows))
    except (PySparkException, Py4JJavaError, PenstockError) as exc:
        return reason_of(exc)
    return None


def _described(numbered: DataFrame, reasons: dict[int, str]) -> list[PoisonRow]:
    rows = numbered.where(F.col(NUMBER).isin(list(reasons)))
    values = [name for name in numbered.columns if name != NUMBER]
    described = rows.select(NUMBER, _digest(values), _as_json(values)).collect()
    return [PoisonRow(digest=row[1], row=row[2], reason=reasons[row[0]]) for row in described]


def without(rows: DataFrame, poison: Sequence[PoisonRow]) -> DataFrame:
    """The other rows."""
    return rows.where(~_digest(rows.columns).isin([each.digest for each in poison]))


def set_aside(place: Place, batch: int, poison: Sequence[PoisonRow], now: float) -> str:
    """Write the rows down for good, one JSON object a line; the same rows are always in the same file.

    Returns:
        What these rows are known by together.
    """
    place.set_aside.mkdir(parents=True, exist_ok=True)
    # Numbers of batches begin anew with a new checkpoint, so they do not suffice.
    which = hashlib.sha256("".join(sorted(each.digest for each in poison)).encode()).hexdigest()[:12]
    file = place.set_aside / f"batch-{batch:09}-{which}.jsonl"
    lines = [
        json.dumps({"batch": batch, "at": now, "reason": each.reason, "row": json.loads(each.row)})
        for each in poison
    ]
    with replacing(file) as output:
        output.writelines(f"{line}\n".encode() for line in lines)
    return f"{place.name}.set-aside.{which}"


def as_table(
    spark: SparkSession, pipeline: str, batch: int, poison: Sequence[PoisonRow], now: float
) -> DataFrame:
    """The rows, for a table or a queue to keep."""
    at = datetime.fromtimestamp(now, UTC)
    rows = [(pipeline, batch, at, each.reason, each.row) for each in poison]
    return spark.createDataFrame(rows, KEPT)


def _as_json(columns: Sequence[str]) -> Column:
    return F.to_json(F.struct(*(F.col(f"`{name}`") for name in columns)), {"ignoreNullFields": "false"})


def _digest(columns: Sequence[str]) -> Column:
    return F.sha2(_as_json(columns), 256)
