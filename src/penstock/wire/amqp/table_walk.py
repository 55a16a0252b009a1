"""Field tables as bytes: checked and changed without making values of what they hold.

A message only passing through pays for the walk, six tenths of a decode, and keeps the exact types its
sender chose. The grammar is the one in `table.py`.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Final

from penstock.wire.amqp.errors import Malformed
from penstock.wire.amqp.table import MAX_DEPTH, encode_entry, ended, nested, short_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from penstock.wire.amqp.table import Value

__all__ = ["check_table", "patch_table"]

_LENGTH: Final = struct.Struct(">I")
#: Bytes after the type octet, for the types that always have as many.
_SIZES: Final = {
    ord(kind): size
    for kinds, size in (("tbB", 1), ("su", 2), ("Iif", 4), ("lLdT", 8), ("D", 5), ("V", 0))
    for kind in kinds
}
_STRINGS: Final = frozenset(b"Sx")
_TABLE: Final = ord("F")
_ARRAY: Final = ord("A")


def _after_value(data: bytes, at: int, depth: int) -> int:
    """The position after the value whose type octet is at `at`."""
    kind = data[at]
    size = _SIZES.get(kind)
    if size is not None:
        return at + 1 + size
    if kind in _STRINGS:
        return at + 5 + int.from_bytes(data[at + 1 : at + 5], "big")
    if kind == _TABLE:
        return _after_table(data, at + 1, depth - 1)
    if kind == _ARRAY:
        return _after_array(data, at + 1, depth - 1)
    raise Malformed(f"unknown field type {kind:#04x}")


def _after_array(data: bytes, at: int, depth: int) -> int:
    at, end = nested(data, at, depth)
    while at < end:
        at = _after_value(data, at, depth)
    return ended(at, end)


def _after_table(data: bytes, at: int, depth: int) -> int:
    at, end = nested(data, at, depth)
    while at < end:
        at = _after_value(data, at + 1 + data[at], depth)
    return ended(at, end)


def check_table(data: bytes, at: int = 0, depth: int = MAX_DEPTH) -> int:
    """The position after the table at `at`, once every field in it is known to be well formed.

    Raises:
        Malformed: where `decode_table` would.
    """
    try:
        return _after_table(data, at, depth)
    except (IndexError, struct.error) as exc:
        raise Malformed("a table ends too early") from exc


def _entries(table: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Each entry's name, with its length octet, and the whole entry."""
    at, end = nested(table, 0, 1)
    while at < end:
        name_end = at + 1 + table[at]
        after = _after_value(table, name_end, MAX_DEPTH)
        yield table[at:name_end], table[at:after]
        at = after


def patch_table(table: bytes, changes: Mapping[str, Value]) -> bytes:
    """A checked table with some entries set anew; the rest keeps its bytes, hence its types and order.

    Raises:
        CannotEncode: a changed value that no field type holds.
    """
    changed = {short_text(name) for name in changes}
    kept = [entry for name, entry in _entries(table) if name not in changed]
    kept += [encode_entry(name, value) for name, value in changes.items()]
    entries = b"".join(kept)
    return _LENGTH.pack(len(entries)) + entries
