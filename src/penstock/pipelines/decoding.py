"""Typed messages as columns: the fields of a class, and for a body that is not of it the reason.

A msgspec struct, a dataclass or a pydantic model, named by its dotted path. If it is declared as an event,
messages of other events are bad ones, and older versions are brought up to it; otherwise any body that fits
is taken. Nothing that a message holds can fail a query.
"""

from __future__ import annotations

import dataclasses
import importlib
import json
from typing import TYPE_CHECKING, Any, Final

import msgspec
import pyarrow as pa
from pyspark.sql import types

from penstock.errors import BadSetting, InvalidMessage, MessagingError
from penstock.messaging.events.codec import codec_of
from penstock.messaging.events.event import EventType, is_event
from penstock.messaging.events.registry import Registry
from penstock.messaging.headers import TYPE_VERSION, count_of
from penstock.pipelines.fields import KEPT, fields_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from penstock.pipelines.fields import Field

__all__ = ["BAD", "BAD_BODY", "NEEDED", "Typed", "class_at"]

#: Why a body is not what it should be, and the body.
BAD: Final = "bad"
BAD_BODY: Final = "bad_body"
#: The columns of a message that are looked at.
NEEDED: Final = ("body", "type", "content_type", "headers")


def class_at(path: str) -> type[Any]:
    """The class of a dotted path.

    Raises:
        BadSetting: there is none, or it cannot be imported in this process.
    """
    module, _, name = path.rpartition(".")
    try:
        found = getattr(importlib.import_module(module), name)
    except Exception as exc:
        raise BadSetting(f"schema_type: {path} cannot be imported: {exc}", setting="schema_type") from exc
    if not isinstance(found, type):
        raise BadSetting(f"schema_type: {path} is no class", setting="schema_type")
    return found


class Typed:
    """A class whose objects bodies are. Made where it is used: it does not travel."""

    def __init__(self, path: str) -> None:
        """Raises BadSetting if the class cannot be had, or cannot be columns."""
        python_type = class_at(path)
        self._fields: Final[list[Field]] = fields_of(python_type)
        try:
            self._decode = _decoder(python_type)
        except MessagingError as exc:
            raise BadSetting(f"schema_type: {exc}", setting="schema_type") from exc

    def __repr__(self) -> str:
        return f"<Typed {', '.join(field.name for field in self._fields)}>"

    def fields(self) -> list[types.StructField]:
        """The columns as Spark declares them."""
        own = [types.StructField(field.name, field.kind) for field in self._fields]
        bad = [types.StructField(BAD, types.StringType()), types.StructField(BAD_BODY, types.BinaryType())]
        return own + bad

    def columns(self, batch: pa.RecordBatch, kinds: Sequence[pa.DataType]) -> list[pa.Array]:
        """The columns of a batch that has `NEEDED`; `kinds` are their types."""
        bodies = batch.column("body").to_pylist()
        told = zip(*(batch.column(name).to_pylist() for name in NEEDED), strict=True)
        rows = [self._row(*each) for each in told]
        own = kinds[: len(self._fields)]
        try:
            made = self._made(rows, own)
        except (pa.ArrowException, OverflowError, TypeError, ValueError):
            # Some value is beyond its column: a number of twenty digits, for one. Each is tried alone.
            rows = [self._checked(row, own) for row in rows]
            made = self._made(rows, own)
        reasons = [row if isinstance(row, str) else None for row in rows]
        kept = [body if reason is not None else None for body, reason in zip(bodies, reasons, strict=True)]
        return [*made, pa.array(reasons, pa.string()), pa.array(kept, pa.binary())]

    def _row(self, body: bytes | None, *told: Any) -> dict[str, Any] | str:
        """The fields of a body, or why it has none."""
        if body is None:
            return "the body is lost"
        try:
            return self._converted(self._decode(body, *told))
        except (InvalidMessage, UnicodeError, RecursionError) as fault:
            return str(fault)
        except OverflowError as fault:
            # The first hour of year 1 is in year 0 elsewhere; some programs' oldest date is that hour.
            return _beyond(fault)

    def _converted(self, found: Any) -> dict[str, Any]:
        if hasattr(found, "model_dump"):
            found = found.model_dump(by_alias=True)
        elif dataclasses.is_dataclass(found) and not isinstance(found, type):
            # msgspec leaves out what an object has from its class alone: its defaults.
            found = dataclasses.asdict(found)
        # What msgspec does not know is of a model's own types: addresses, paths.
        row: dict[str, Any] = msgspec.to_builtins(found, builtin_types=KEPT, enc_hook=str)
        for field in self._fields:
            value = row.get(field.name)
            if field.convert is not None and value is not None:
                row[field.name] = field.convert(value)
        return row

    def _made(self, rows: Sequence[dict[str, Any] | str], kinds: Sequence[pa.DataType]) -> list[pa.Array]:
        return [
            pa.array([None if isinstance(row, str) else row.get(field.name) for row in rows], kind)
            for field, kind in zip(self._fields, kinds, strict=True)
        ]

    def _checked(self, row: dict[str, Any] | str, kinds: Sequence[pa.DataType]) -> dict[str, Any] | str:
        try:
            self._made([row], kinds)
        except (pa.ArrowException, OverflowError, TypeError, ValueError) as fault:
            return _beyond(fault)
        return row


def _beyond(fault: Exception) -> str:
    return f"a value does not fit its column: {fault}"


def _decoder(python_type: type[Any]) -> Callable[..., Any]:
    """Reads a body, given what else `NEEDED` tells."""
    if not is_event(python_type):
        codec = codec_of(EventType(name=python_type.__qualname__, version=1, python_type=python_type))
        return lambda body, *_: codec.decode(body)
    registry = Registry(python_type)

    def decode(body: bytes, name: str | None, content_type: str | None, headers: str | None) -> Any:
        version = count_of(json.loads(headers), TYPE_VERSION) if headers else 0
        return registry.decode(name or "", version or 1, body, content_type)

    return decode
