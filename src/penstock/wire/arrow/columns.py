"""The columns of a queue as a table, defined once: what the reader sees, and what travels.

Types are named here, not made: making them needs pyarrow.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, Final

from penstock.wire.arrow.library import arrow

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "ALL_COLUMNS",
    "COLUMNS",
    "PROPERTY_COLUMNS",
    "RANGE_COLUMNS",
    "WIRE_COLUMNS",
    "arrow_type",
    "schema_of",
]

#: What a reader sees, by name. Unsigned numbers are avoided: Spark has none.
COLUMNS: Final[Mapping[str, str]] = {
    "position": "position",
    "body": "bytes",
    "exchange": "text",
    "routing_key": "text",
    "message_id": "text",
    "type": "text",
    "content_type": "text",
    "content_encoding": "text",
    "correlation_id": "text",
    "reply_to": "text",
    "app_id": "text",
    "user_id": "text",
    "priority": "number",
    "delivery_mode": "number",
    "expiration": "text",
    "timestamp": "moment",
    "headers": "text",
    "redelivered": "flag",
    "arrived": "moment",
}
ALL_COLUMNS: Final = tuple(COLUMNS)
#: Those of them that stand in the property list.
PROPERTY_COLUMNS: Final = ALL_COLUMNS[4:17]

#: What messages are packed as. Names are bytes, as AMQP has them: not every client writes UTF-8.
WIRE_COLUMNS: Final[Mapping[str, str]] = {
    "position": "position",
    "exchange": "name",
    "routing_key": "name",
    "properties": "bytes",
    "body": "bytes",
    "redelivered": "flag",
    "arrived": "moment",
}
#: What a range travels as: the broker has frames, and leaves it to the reader to take them apart.
RANGE_COLUMNS: Final[Mapping[str, str]] = {
    "position": "position",
    "exchange": "name",
    "routing_key": "name",
    "frames": "bytes",
    "redelivered": "flag",
    "arrived": "moment",
}


@cache
def arrow_type(kind: str) -> Any:
    """The Arrow type of a kind of column."""
    pa = arrow()
    makers = {
        "position": pa.int64,
        "bytes": pa.binary,
        "text": pa.string,
        "number": pa.int32,
        "flag": pa.bool_,
        "moment": lambda: pa.timestamp("us", tz="UTC"),
        "name": lambda: pa.dictionary(pa.int32(), pa.binary()),
    }
    return makers[kind]()


def schema_of(columns: Mapping[str, str]) -> Any:
    """The schema of a table of columns."""
    return arrow().schema([(name, arrow_type(kind)) for name, kind in columns.items()])
