"""Headers set to bytes: where a field's type matters to clients, or all others must keep theirs.

Java clients cast x-death's count to a long; a table made anew of Python's integers would have short ones.
Knows where the headers stand in a property list (AMQP 0-9-1 §4.2.6.1), not what they mean.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Final

from penstock.wire.amqp import BasicProperties
from penstock.wire.amqp.table import encode_entry, short_text
from penstock.wire.amqp.table_walk import check_table, patch_table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["long_entry", "table_array_entry", "with_entries"]

_CONTENT_TYPE, _CONTENT_ENCODING, _HEADERS = 1 << 15, 1 << 14, 1 << 13
_FLAGS: Final = struct.Struct(">H")
_LENGTH: Final = struct.Struct(">I")
_LONG: Final = struct.Struct(">q")
_NO_TABLE: Final = _LENGTH.pack(0)


def long_entry(name: str, value: int) -> bytes:
    """An entry of a table that holds a 64-bit integer, however small."""
    return short_text(name) + b"l" + _LONG.pack(value)


def table_array_entry(name: str, tables: Sequence[bytes]) -> bytes:
    """An entry that holds an array of tables, each given as its entries."""
    array = b"".join(b"F" + _LENGTH.pack(len(table)) + table for table in tables)
    return short_text(name) + b"A" + _LENGTH.pack(len(array)) + array


def with_entries(content: BasicProperties, entries: Mapping[str, bytes]) -> BasicProperties:
    """The properties with some headers set to entries made before; no bytes take a header away."""
    raw = content.raw
    start = 2
    for flag in (_CONTENT_TYPE, _CONTENT_ENCODING):
        if content.flags & flag:
            start += 1 + raw[start]
    end = check_table(raw, start) if content.flags & _HEADERS else start
    kept = _without(raw[start:end] or _NO_TABLE, entries)
    table = kept + b"".join(entries.values())
    flags = _FLAGS.pack(content.flags | _HEADERS)
    return BasicProperties(flags + raw[2:start] + _LENGTH.pack(len(table)) + table + raw[end:])


def _without(table: bytes, names: Mapping[str, bytes]) -> bytes:
    """The entries of a table but some, as they are."""
    # What a patch sets anew stands at the end of its result: cut that off, and the rest is what was kept.
    patched = patch_table(table, dict.fromkeys(names))
    voids = sum(len(encode_entry(name, None)) for name in names)
    return patched[len(_NO_TABLE) : len(patched) - voids]
