"""Reading a range in an executor: as rows of Spark's, going on where a lost connection broke off."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.clock import SystemClock
from penstock.errors import BadSetting, NotConnected, NotOnExecutors
from penstock.pipelines.source.origin import open_origin
from penstock.pipelines.source.patience import Patience
from penstock.pipelines.source.seam import plainly
from penstock.pipelines.source.shaping import Shaping
from penstock.pipelines.sparing import spare_collections

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa

    from penstock.pipelines.options import SourceOptions
    from penstock.pipelines.source.partition import Range

__all__ = ["read_range"]


def read_range(options: SourceOptions, wanted: Range) -> Iterator[pa.RecordBatch]:
    """The rows of a range."""
    with plainly():
        shaping = _shaping(options)
        patience = Patience(SystemClock())
        taking = open_origin(options)
        spare_collections()
        start = wanted.start
        try:
            while start < wanted.end:
                try:
                    for batch in taking.read(start, wanted.end, shaping.needed):
                        yield shaping.shape(batch)
                        start = batch.column("position")[-1].as_py()
                        patience.renew()
                except NotConnected as error:
                    patience.lose(error)
                else:
                    return
        finally:
            taking.close()


def _shaping(options: SourceOptions) -> Shaping:
    """The class of messages was found where the query began; here it may be missing, or another one."""
    try:
        return Shaping(options)
    except BadSetting as exc:
        raise NotOnExecutors(
            f"an executor has no {options.schema_type} that fits ({exc}): install its module where the"
            " executors run, or send it to them with spark.sparkContext.addPyFile or --py-files"
        ) from exc
