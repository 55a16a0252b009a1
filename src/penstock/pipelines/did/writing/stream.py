"""Cuts as a stream: a source whose admission control is the cutter.

The operation queue lives in the driver's program. Spark's planner asks there, through a door, which cuts are
due; each is one row and one task, and an offset names them:

    {"position": operations cut so far, "cuts": [numbers of the last batch], "rows": its operations}

So a batch that Spark repeats after a crash has the same cuts, whatever was cut meanwhile. Cuts that were
written along with a batch (ends.py) are in no offset: their operations are counted with the next, which has
no cuts if none have come. How far each of them came is in the domain's database, and nowhere else: the
checkpoint may be lost.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
from pyspark.sql.datasource import DataSource, DataSourceStreamReader, InputPartition

from penstock.errors import PipelineError
from penstock.pipelines.source.door import tell
from penstock.pipelines.source.seam import plainly
from penstock.pipelines.sparing import spare_collections

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pyspark.sql.streaming.datasource import ReadLimit

__all__ = ["FORMAT", "CutSource", "CutStream"]

#: What Spark knows it by.
FORMAT: Final = "penstock-cuts"


class CutSource(DataSource):
    """The cuts of one operation queue; the option `door` says where to ask."""

    @classmethod
    def name(cls) -> str:
        return FORMAT

    def schema(self) -> str:
        return "cut LONG"

    def streamReader(self, schema: object) -> CutStream:  # noqa: N802 (Spark's names, here and below)
        return CutStream(self.options["door"])


class OneCut(InputPartition):
    """A cut: one task."""

    def __init__(self, number: int) -> None:
        super().__init__(number)


class CutStream(DataSourceStreamReader):
    """Spark's verbs. All but `read` run in the planner, a process beside the driver."""

    def __init__(self, door: str) -> None:
        self._door = door
        #: How many operations wait, when it was last told.
        self._waiting = 0
        self._position = 0

    def __repr__(self) -> str:
        return f"<CutStream by {self._door}, {self._waiting} operations wait>"

    def initialOffset(self) -> dict[str, Any]:  # noqa: N802
        return {"position": 0, "cuts": []}

    def latestOffset(self, start: Mapping[str, Any], limit: ReadLimit) -> dict[str, Any]:  # noqa: N802
        """Which cuts are due. Spark asks only when all before are done with, as far as it is concerned."""
        with plainly():
            due = self._ask(start["position"])
        self._waiting = due["waiting"]
        self._position = start["position"] + due["operations"]
        if not due["operations"]:
            return dict(start)
        return {"position": self._position, "cuts": due["cuts"], "rows": due["operations"]}

    def reportLatestOffset(self) -> dict[str, Any]:  # noqa: N802
        """For those who want to know how much waits."""
        return {"position": self._position + self._waiting}

    def partitions(self, start: Mapping[str, Any], end: Mapping[str, Any]) -> Sequence[InputPartition]:
        return [OneCut(number) for number in end["cuts"]]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        spare_collections()
        yield pa.record_batch({"cut": pa.array([partition.value], pa.int64())})

    def commit(self, end: Mapping[str, Any]) -> None:
        """What is done with is in the database."""

    def _ask(self, position: int) -> dict[str, Any]:
        try:
            answer = tell(self._door, position)
            found: dict[str, Any] = json.loads(answer)
        except OSError as exc:
            raise PipelineError(f"the driver's program does not answer at {self._door}: {exc}") from exc
        except ValueError:
            raise PipelineError(f"the driver's program cannot say which cuts are due: {answer}") from None
        return found
