"""What a batch told when it was done, and the numbers that all of them add up to. Pure values, no Spark.

`Metrics` is what a panel reads: plain numbers, new ones after each batch, old ones never changed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Metrics", "Progress"]

#: What a position is called in the offsets of sources that count rows.
POSITIONS: Final = ("position", "offset")


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """One batch."""

    batch: int
    rows: int
    seconds: float
    #: Rows that wait at the source; None if it does not tell.
    lag: int | None = None

    @classmethod
    def read(cls, told: Mapping[str, Any]) -> Progress | None:
        """From Spark's own description; None if it only looked, and there was no batch."""
        if "addBatch" not in told["durationMs"]:
            return None
        lags = [lag for source in told["sources"] if (lag := _lag(source)) is not None]
        return cls(
            batch=told["batchId"],
            # Spark counts nothing if a Python function takes the rows; then the positions tell.
            rows=sum(map(_said, told["sources"]))
            or told["numInputRows"]
            or sum(_rows(source) for source in told["sources"]),
            seconds=told["batchDuration"] / 1000,
            lag=sum(lags) if lags else None,
        )

    @property
    def rows_per_second(self) -> float:
        """How fast this batch was."""
        return self.rows / self.seconds if self.seconds else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Metrics:
    """The numbers of one pipeline since its process started."""

    batches: int = 0
    rows: int = 0
    #: Of the last batch.
    rows_per_second: float = 0.0
    seconds: float = 0.0
    lag: int | None = None
    failures: int = 0
    set_aside: int = 0

    def after(self, progress: Progress) -> Metrics:
        """After another batch."""
        return replace(
            self,
            batches=self.batches + 1,
            rows=self.rows + progress.rows,
            rows_per_second=progress.rows_per_second,
            seconds=progress.seconds,
            lag=progress.lag,
        )


def _said(source: Mapping[str, Any]) -> int:
    """How many rows the batch has in the source's own words, if each that Spark sees stands for many."""
    end = source["endOffset"]
    return end.get("rows", 0) if isinstance(end, dict) else 0


def _rows(source: Mapping[str, Any]) -> int:
    start, end = _position(source["startOffset"]), _position(source["endOffset"])
    return 0 if end is None else end - (start or 0)


def _lag(source: Mapping[str, Any]) -> int | None:
    end, latest = _position(source["endOffset"]), _position(source["latestOffset"])
    return None if end is None or latest is None else max(latest - end, 0)


def _position(offset: Any) -> int | None:
    """Where an offset is, if it counts rows."""
    if isinstance(offset, int):
        return offset
    if isinstance(offset, dict):
        return next((offset[name] for name in POSITIONS if isinstance(offset.get(name), int)), None)
    return None
