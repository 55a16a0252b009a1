"""The columns of a message in Spark: which there are, of what type, and how a batch gets exactly them.

A name is one of `penstock.wire.arrow.ALL_COLUMNS`, or `header_` and the name of a header; the two of a trace
are columns by their own names, which the sink knows, too.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from penstock.messaging.tracing.trace import TRACEPARENT, TRACESTATE
from penstock.wire.arrow.columns import COLUMNS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import pyarrow as pa
    from pyspark.sql.types import DataType, StructField

__all__ = [
    "BRIEFLY",
    "HEADER",
    "PLAINLY",
    "TRACES",
    "column_fields",
    "columns_in",
    "needed_for",
    "read_columns",
]

#: What is shown if nobody says what: all that a message says, but for what hardly anybody uses.
PLAINLY: Final = (
    "position",
    "body",
    "message_id",
    "type",
    "routing_key",
    "exchange",
    "headers",
    "timestamp",
    "redelivered",
)
#: The same for typed messages, whose own fields follow.
BRIEFLY: Final = ("position", "message_id")

HEADER: Final = "header_"
#: Headers that are columns by their own names: which trace a row is part of (W3C Trace Context).
TRACES: Final = (TRACEPARENT, TRACESTATE)


def read_columns(text: str) -> tuple[str, ...]:
    """The names in a list with commas.

    Raises:
        ValueError: there is no column of that name, or it is named twice.
    """
    names = tuple(name.strip() for name in text.split(","))
    for name in names:
        if name not in COLUMNS and not _maybe_header(name):
            known = ", ".join((*COLUMNS, *TRACES))
            raise ValueError(f"there is no column {name!r}, only {known} and header_NAME for any header")
    if len(set(names)) < len(names):
        raise ValueError(f"a column is named twice in {text!r}")
    return names


def column_fields(names: Sequence[str]) -> list[StructField]:
    """The columns as Spark declares them."""
    from pyspark.sql import types  # noqa: PLC0415 (pure readers of options need no Spark)

    kinds: Mapping[str, DataType] = {
        "position": types.LongType(),
        "bytes": types.BinaryType(),
        "text": types.StringType(),
        "number": types.IntegerType(),
        "flag": types.BooleanType(),
        "moment": types.TimestampType(),
    }
    return [types.StructField(name, kinds[COLUMNS.get(name, "text")]) for name in names]


def needed_for(names: Iterable[str]) -> tuple[str, ...]:
    """The columns of a message that these are made of."""
    return tuple(dict.fromkeys("headers" if _maybe_header(name) else name for name in names))


def columns_in(batch: pa.RecordBatch, names: Sequence[str]) -> list[Any]:
    """These columns of a batch of messages."""
    return [
        _header(batch.column("headers"), header) if (header := _maybe_header(name)) else batch.column(name)
        for name in names
    ]


def _maybe_header(name: str) -> str | None:
    """The header that a column shows; None if it shows something else."""
    if name in TRACES:
        return name
    return name.removeprefix(HEADER) if name.startswith(HEADER) and name != HEADER else None


def _header(headers: pa.Array, name: str) -> pa.Array:
    """One header as text; producers mostly send the same headers, so each is read once."""
    import pyarrow as pa  # noqa: PLC0415 (likewise)

    different = headers.dictionary_encode()
    values = [_value(text, name) for text in different.dictionary.to_pylist()]
    return pa.array(values, pa.string()).take(different.indices)


def _value(headers: str | None, name: str) -> str | None:
    value = json.loads(headers).get(name) if headers else None
    return value if value is None or isinstance(value, str) else json.dumps(value, ensure_ascii=False)
