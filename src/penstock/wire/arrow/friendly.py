"""Friendly columns: what a range brings, as the person who reads it wants it.

Property lists of one shape are cut into columns as a whole, others decoded once for each that is different.
Only what is asked for is decoded. Nothing that a message holds can fail a range: text that is no UTF-8 is
mended, a property list or table that cannot be read is null.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from penstock.wire.arrow.columns import COLUMNS, PROPERTY_COLUMNS, arrow_type
from penstock.wire.arrow.framed import bodies_in, property_lists_in
from penstock.wire.arrow.headers import headers_to_json
from penstock.wire.arrow.library import arrow
from penstock.wire.arrow.property_lists import columns_of, value_of
from penstock.wire.arrow.shapes import slices_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["friendly", "friendly_schema"]

#: The last second that a calendar holds. Milliseconds sent as seconds are common and lie beyond it.
_LAST_SECOND: Final = 253_402_300_799


def friendly_schema(wanted: Sequence[str]) -> Any:
    """The schema of these columns.

    Raises:
        KeyError: there is no column of that name.
    """
    return arrow().schema([(name, arrow_type(COLUMNS[name])) for name in wanted])


def friendly(batch: Any, wanted: Sequence[str]) -> Any:
    """A record batch of the wanted columns, of one that came by the wire.

    Raises:
        KeyError: there is no column of that name.
    """
    properties = [name for name in wanted if name in PROPERTY_COLUMNS]
    found = _property_columns(_property_lists(batch), properties) if properties else {}
    for name in wanted:
        if name not in found:
            found[name] = _plain(batch, name)
    schema = friendly_schema(wanted)
    return arrow().record_batch([found[name] for name in wanted], schema=schema)


def _property_lists(batch: Any) -> Any:
    if "frames" in batch.schema.names:
        return property_lists_in(batch.column("frames"))
    return batch.column("properties")


def _plain(batch: Any, name: str) -> Any:
    if name == "body" and "frames" in batch.schema.names:
        return bodies_in(batch.column("frames"))
    column = batch.column(name)
    if COLUMNS[name] != "text":
        return column
    names = arrow().DictionaryArray.from_arrays(column.indices, _text(column.dictionary))
    return names.dictionary_decode()


def _property_columns(lists: Any, wanted: Sequence[str]) -> dict[str, Any]:
    slices = slices_of(lists, wanted)
    if slices is not None:
        return {name: _cut_out(name, slices.get(name), len(lists)) for name in wanted}
    different = lists.dictionary_encode()
    columns = columns_of(different.dictionary.to_pylist(), wanted)
    made = {name: _maker(name)(values) for name, values in columns.items()}
    if len(different.dictionary) == len(lists):
        # Each has its own message id: they are in order as they are.
        return made
    return {name: column.take(different.indices) for name, column in made.items()}


def _cut_out(name: str, slices: Any, count: int) -> Any:
    """A property's column of the bytes of each; nulls if nobody has it."""
    if slices is None:
        return arrow().nulls(count, arrow_type(COLUMNS[name]))
    if name not in _MAKERS:
        return _text(slices)
    different = slices.dictionary_encode()
    values = [value_of(name, raw) for raw in different.dictionary.to_pylist()]
    return _maker(name)(values).take(different.indices)


def _text_of(values: list[bytes | None]) -> Any:
    return _text(arrow().array(values, arrow_type("bytes")))


def _text(column: Any) -> Any:
    """Bytes as text; what is no UTF-8 gets the usual question marks."""
    pa = arrow()
    try:
        return column.cast(pa.string())
    except pa.ArrowInvalid:
        mended = [value and value.decode("utf-8", "replace") for value in column.to_pylist()]
        return pa.array([None if value is None else value or "" for value in mended], pa.string())


def _numbers(values: list[int | None]) -> Any:
    return arrow().array(values, arrow_type("number"))


def _moments(values: list[int | None]) -> Any:
    pa = arrow()
    seconds = [value if value is not None and value <= _LAST_SECOND else None for value in values]
    return pa.array(seconds, pa.int64()).cast(pa.timestamp("s", tz="UTC")).cast(arrow_type("moment"))


def _headers(values: list[bytes | None]) -> Any:
    known: dict[bytes | None, str | None] = {None: None}
    for raw in values:
        if raw not in known:
            known[raw] = headers_to_json(raw or b"")
    return arrow().array([known[raw] for raw in values], arrow_type("text"))


#: Columns of properties that are not simply text.
_MAKERS: Final[dict[str, Callable[[list[Any]], Any]]] = {
    "priority": _numbers,
    "delivery_mode": _numbers,
    "timestamp": _moments,
    "headers": _headers,
}


def _maker(name: str) -> Callable[[list[Any]], Any]:
    return _MAKERS.get(name, _text_of)
