"""Rows of an outbox in files: one line of JSON each, compressed, to be kept for years and replayed."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING, Any

import msgspec

from penstock.durable import replacing
from penstock.errors import OutboxError
from penstock.outbox.envelope import COLUMNS, Row

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

__all__ = ["read_archive", "write_archive"]


class _Line(msgspec.Struct):
    """A row. Bytes are base64."""

    sequence: int
    id: str
    type: str
    exchange: str
    key: str
    priority: int
    body: bytes
    envelope: bytes
    added_at: float
    attempts: int = 0


_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(_Line).decode


def write_archive(folder: Path, name: str, rows: Sequence[Row]) -> Path:
    """Write the rows into a new file and return it when it is safely on the disk.

    The same rows make a file of the same name: writing them again after a crash replaces it.
    """
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{name}-{rows[0].sequence:016}-{rows[-1].sequence:016}.jsonl.gz"
    with replacing(file) as output, gzip.open(output, "wb") as lines:
        for row in rows:
            lines.write(_encode(row._asdict()) + b"\n")
    return file


def read_archive(file: Path) -> Iterator[Row]:
    """The rows in a file, one at a time.

    Raises:
        OutboxError: it is no such file, or damaged.
    """
    try:
        with gzip.open(file, "rb") as lines:
            for line in lines:
                kept: Any = _decode(line)
                yield Row._make(getattr(kept, name) for name in COLUMNS)
    except (OSError, EOFError, msgspec.MsgspecError) as exc:
        raise OutboxError(f"{file} is no archive of an outbox, or damaged: {exc}") from exc
