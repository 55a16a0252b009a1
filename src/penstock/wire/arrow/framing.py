"""The frames of an IPC stream, looked at before anything is read: whether they hold more than they weigh.

A compressed buffer may stand for a thousand times its size, and pyarrow has no switch against it. The flag is
in the FlatBuffers metadata of each message (Arrow's Message.fbs): this file reads so much of that format.
"""

from __future__ import annotations

import struct
from typing import Final

from penstock.wire.arrow.library import arrow

__all__ = ["is_compressed"]

_OFFSET: Final = struct.Struct("<I")
_BACK: Final = struct.Struct("<i")
_PLACE: Final = struct.Struct("<H")

#: Message: field 1 is the kind of its header, field 2 the header; kinds are DictionaryBatch and RecordBatch.
_KIND, _HEADER = 1, 2
_DICTIONARY, _BATCH = 2, 3
#: DictionaryBatch: field 1 is the RecordBatch; RecordBatch: field 3 says how buffers are compressed.
_DATA, _COMPRESSION = 1, 3


def is_compressed(stream: bytes) -> bool:
    """Whether any buffer of an IPC stream is.

    Raises:
        OSError, ValueError: as pyarrow does, it is no IPC stream.
    """
    reader = arrow().ipc.MessageReader.open_stream(arrow().py_buffer(stream))
    # pyarrow has verified the FlatBuffers of each.
    return any(_says_compressed(message.metadata.to_pybytes()) for message in reader)


def _says_compressed(metadata: bytes) -> bool:
    message = _OFFSET.unpack_from(metadata)[0]
    at = _field(metadata, message, _KIND)
    kind = metadata[at] if at else 0
    if kind not in {_DICTIONARY, _BATCH}:
        return False
    batch = _table(metadata, message, _HEADER)
    if kind == _DICTIONARY:
        batch = _table(metadata, batch, _DATA)
    return _field(metadata, batch, _COMPRESSION) != 0


def _field(data: bytes, table: int, number: int) -> int:
    """Where a field of a table stands; 0 if it is not there."""
    layout = table - _BACK.unpack_from(data, table)[0]
    if 4 + 2 * number >= _PLACE.unpack_from(data, layout)[0]:
        return 0
    place: int = _PLACE.unpack_from(data, layout + 4 + 2 * number)[0]
    return table + place if place else 0


def _table(data: bytes, table: int, number: int) -> int:
    """Where the table begins that a field points to."""
    at = _field(data, table, number)
    start: int = at + _OFFSET.unpack_from(data, at)[0]
    return start
