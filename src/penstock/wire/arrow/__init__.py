"""Messages as Arrow tables: rows of a queue to IPC streams and back, and rows to be published.

The broker writes what is cheap for it, its frames as they are; whoever reads makes friendly columns of
them. Pure: no I/O, no clock, no broker. pyarrow is imported when the first table is asked for.
"""

from penstock.wire.arrow.columns import ALL_COLUMNS, PROPERTY_COLUMNS
from penstock.wire.arrow.compact import Eras, JoinedBytes, Same
from penstock.wire.arrow.encoding import FramedRows, RangeEncoder, Rows
from penstock.wire.arrow.framing import is_compressed
from penstock.wire.arrow.friendly import friendly, friendly_schema
from penstock.wire.arrow.library import arrow
from penstock.wire.arrow.outgoing import OutgoingRows, outgoing_batch, read_outgoing
from penstock.wire.arrow.streams import Source, read_stream

__all__ = [
    "ALL_COLUMNS",
    "PROPERTY_COLUMNS",
    "Eras",
    "FramedRows",
    "JoinedBytes",
    "OutgoingRows",
    "RangeEncoder",
    "Rows",
    "Same",
    "Source",
    "arrow",
    "friendly",
    "friendly_schema",
    "is_compressed",
    "outgoing_batch",
    "read_outgoing",
    "read_stream",
]
