"""Errors of Spark, and of pipelines on it."""

from __future__ import annotations

from penstock.errors.root import PenstockError

__all__ = [
    "BadExpression",
    "BadPipeline",
    "BadRow",
    "CheckpointMismatch",
    "ColumnsChanged",
    "NoJava",
    "NoRowToBlame",
    "NotOnExecutors",
    "PipelineError",
    "PipelineRunning",
    "SparkUnavailable",
    "TableError",
    "UnknownPipeline",
    "UnknownTable",
]


class PipelineError(PenstockError):
    """Spark, or a pipeline on it, could not do it."""


class SparkUnavailable(PipelineError):
    """Spark cannot be started here."""


class NoJava(SparkUnavailable):
    """There is no Java that is new enough for Spark."""


class BadPipeline(PipelineError):
    """As it is declared, a pipeline cannot be; nothing was started."""


class UnknownPipeline(PipelineError):
    """No pipeline of that name is declared."""


class PipelineRunning(PipelineError):
    """The pipeline runs already: a checkpoint has one writer."""


class ColumnsChanged(PipelineError):
    """What a pipeline makes of rows no longer fits what it has written."""


class NotOnExecutors(PipelineError):
    """What a pipeline needs cannot be imported where its work is done."""


class NoRowToBlame(PipelineError):
    """A batch fails, and not because of single rows: none can be set aside."""


class TableError(PipelineError):
    """A table cannot be written or read like that."""


class UnknownTable(TableError):
    """There is no table at that place."""


class BadExpression(PipelineError):
    """An expression in Spark SQL cannot be."""


class CheckpointMismatch(PipelineError):
    """A query's checkpoint and the reader of its queue are not of one piece."""


class BadRow(PipelineError):
    """A row cannot be a message; the batch it stands in was not published any further."""
