"""What an executor has made of a cut: one row. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec
import pyarrow as pa

from penstock.did.anchors import Draft  # noqa: TC001  msgspec reads it

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["OUTCOMES", "Outcome", "outcomes_in", "table_of"]

#: The rows' columns, as Spark is told.
OUTCOMES: Final = "cut LONG, told BINARY"
_COLUMNS: Final = pa.schema([("cut", pa.int64()), ("told", pa.binary())])


class Outcome(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The files of a cut, or why there are none."""

    cut: int
    #: The hashlink of the core index file; None if no operation could be in a batch now.
    core_index: str | None = None
    #: Its anchor, but for who signs it: some fifty bytes an operation. Whoever has none makes it.
    draft: Draft | None = None
    #: How many operations the files have.
    count: int = 0
    #: The ids of operations whose turn comes with a later batch.
    deferred: list[str] = []
    #: The ids of those that can be in no batch, and why.
    refused: dict[str, str] = {}
    #: The DIDs that are changed before they are anchored; their operations are among the deferred.
    unanchored: list[str] = []
    #: Why it could not be done now, and must be done again: nobody's fault but the machines'.
    failure: str | None = None
    #: It went on without us: there is nothing to be done.
    is_gone: bool = False


_encode: Final = msgspec.msgpack.Encoder().encode
_decode: Final = msgspec.msgpack.Decoder(Outcome).decode


def table_of(outcomes: Iterable[Outcome]) -> pa.RecordBatch:
    """As rows."""
    listed = list(outcomes)
    columns = [[each.cut for each in listed], [_encode(each) for each in listed]]
    arrays = [pa.array(values, kind) for values, kind in zip(columns, _COLUMNS.types, strict=True)]
    return pa.RecordBatch.from_arrays(arrays, schema=_COLUMNS)


def outcomes_in(rows: Iterable[Mapping[str, Any]]) -> list[Outcome]:
    """Back from rows, the oldest cut first."""
    return sorted((_decode(row["told"]) for row in rows), key=lambda each: each.cut)
