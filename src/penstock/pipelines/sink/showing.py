"""A row as text: all of it for whoever keeps it, a piece of it for a line of a log."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["as_json", "excerpt"]

#: Characters of a row in a line of a log.
LONGEST: Final = 300


def as_json(batch: pa.RecordBatch, at: int) -> str:
    """All of a row, as Spark's own `to_json` has it: bytes in base64."""
    return msgspec.json.encode(_row(batch, at), enc_hook=str).decode()


def excerpt(batch: pa.RecordBatch, at: int) -> str:
    """As much of a row as somebody reads: bytes as text, and not all of what is long."""
    shown = {name: _short(value) for name, value in _row(batch, at).items()}
    text = msgspec.json.encode(shown, enc_hook=str).decode()
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def _row(batch: pa.RecordBatch, at: int) -> dict[str, Any]:
    return {name: _value(batch.column(name)[at]) for name in batch.schema.names}


def _value(value: pa.Scalar) -> Any:
    try:
        return value.as_py(maps_as_pydicts="lossy")
    except OverflowError as fault:
        # A moment that Python has not: the number that Spark has for it.
        return getattr(value, "value", str(fault))


def _short(value: Any) -> Any:
    """Before it is encoded: a body may have megabytes."""
    if isinstance(value, bytes):
        value = value[:LONGEST].decode(errors="replace")
    return value[:LONGEST] if isinstance(value, str) else value
