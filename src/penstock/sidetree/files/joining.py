"""Canonical JSON put together from parts that are canonical: nothing is parsed or sorted twice."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["joined"]


def joined(members: Mapping[str, bytes | Sequence[bytes]]) -> bytes:
    """An object of these members in canonical order, without those that are empty; several parts make a list.

    The names are plain ASCII, written in this package.
    """
    parts = [
        b'"%b":%b' % (name.encode("ascii"), written(value))
        for name, value in sorted(members.items())
        if value
    ]
    return b"{%b}" % b",".join(parts) if parts else b""


def written(value: bytes | Sequence[bytes]) -> bytes:
    return value if isinstance(value, bytes) else b"[%b]" % b",".join(value)
