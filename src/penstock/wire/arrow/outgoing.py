"""Rows to be published: a table of messages, and where each goes.

The columns are those that a reader sees, so that a table that was read can be written again; what only the
broker can know (position, redelivered, arrived) is passed over. Whoever sends packs the properties into
AMQP property lists, one column `properties`, which is cheap for the broker; a sender that cannot sends the
friendly columns, and the broker packs them.

A broker believes nothing: a few kilobytes of Arrow can stand for terabytes, or point past their own end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from penstock.wire.amqp.errors import CannotEncode
from penstock.wire.amqp.properties import BasicProperties
from penstock.wire.arrow.columns import COLUMNS, PROPERTY_COLUMNS
from penstock.wire.arrow.encoding import binary_array
from penstock.wire.arrow.headers import headers_from_json
from penstock.wire.arrow.library import arrow

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["OutgoingRows", "outgoing_batch", "read_outgoing"]

_PERSISTENT: Final = {"delivery_mode": 2}
_PACKED: Final = ("exchange", "routing_key", "properties", "body")


class OutgoingRows(NamedTuple):
    """Messages side by side."""

    exchanges: list[str]
    routing_keys: list[str]
    properties: list[bytes]
    bodies: list[bytes]


def outgoing_batch(batch: Any, exchange: str = "", routing_key: str | None = None) -> Any:
    """A record batch as it travels: exchange, routing_key, properties, body.

    Args:
        exchange, routing_key: for tables that have no such column.

    Raises:
        CannotEncode: a column that cannot be, or a value that no message holds, with its row.
    """
    rows = _rows(batch, exchange, routing_key)
    pa = arrow()
    columns = [
        pa.array(rows.exchanges, pa.string()).dictionary_encode(),
        pa.array(rows.routing_keys, pa.string()).dictionary_encode(),
        binary_array(rows.properties),
        binary_array(rows.bodies),
    ]
    return pa.record_batch(columns, names=_PACKED)


def read_outgoing(batch: Any) -> OutgoingRows:
    """The rows of a batch that came from somebody, packed or friendly.

    Raises:
        CannotEncode: a column that is missing, or cannot be.
    """
    pa = arrow()
    try:
        batch.validate(full=True)
    except pa.ArrowInvalid as exc:
        raise CannotEncode(f"the table contradicts itself: {exc}") from exc
    for column in batch.schema:
        if not _is_plain(column.type, may_repeat=column.name != "body"):
            raise CannotEncode(f"column {column.name} is sent as plain Arrow, not as {column.type}")
    return _rows(batch, "", None)


def _is_plain(kind: Any, *, may_repeat: bool) -> bool:
    """Whether values are no larger than the bytes they came in."""
    types = arrow().types
    if types.is_dictionary(kind):
        return may_repeat and _is_plain(kind.value_type, may_repeat=False)
    plain = (
        types.is_binary,
        types.is_large_binary,
        types.is_string,
        types.is_large_string,
        types.is_boolean,
        types.is_integer,
        types.is_floating,
        types.is_timestamp,
    )
    return any(is_it(kind) for is_it in plain)


def _rows(batch: Any, exchange: str, routing_key: str | None) -> OutgoingRows:
    names = batch.schema.names
    _check_names(names, has_key=routing_key is not None)
    count = batch.num_rows
    return OutgoingRows(
        _texts(batch, "exchange") if "exchange" in names else [exchange] * count,
        _texts(batch, "routing_key") if "routing_key" in names else [routing_key or ""] * count,
        _bytes(batch, "properties") if "properties" in names else _property_lists(batch),
        _bytes(batch, "body"),
    )


def _check_names(names: Sequence[str], *, has_key: bool) -> None:
    unknown = [name for name in names if name not in COLUMNS and name != "properties"]
    if unknown:
        raise CannotEncode(
            f"a message has no column {', '.join(unknown)}: what it says is one column, `body`, and the "
            f"others are {', '.join(COLUMNS)}"
        )
    if "body" not in names:
        raise CannotEncode("a message has a body: name that column `body`")
    if "routing_key" not in names and not has_key:
        raise CannotEncode("nobody says where the messages go: a column `routing_key` is missing")


def _values(batch: Any, name: str) -> list[Any]:
    """A column as Python has it; what repeats is one object."""
    pa = arrow()
    column = batch.column(name)
    if pa.types.is_dictionary(column.type):
        places = column.indices.to_pylist()
        known = {None: None} | {at: column.dictionary[at].as_py() for at in {*places} - {None}}
        return [known[place] for place in places]
    if pa.types.is_timestamp(column.type):
        # Seconds are all that AMQP knows; a moment without a zone is taken to be UTC.
        column = column.cast(pa.timestamp("s", column.type.tz), safe=False).cast(pa.int64())
    values: list[Any] = column.to_pylist()
    return values


def _texts(batch: Any, name: str) -> list[str]:
    values = _values(batch, name)
    for row, value in enumerate(values):
        if not isinstance(value, str):
            raise CannotEncode(f"row {row}: {name} is a text, not {value!r}")
    return values


def _bytes(batch: Any, name: str) -> list[bytes]:
    values = _values(batch, name)
    for row, value in enumerate(values):
        if isinstance(value, str):
            values[row] = value.encode()
        elif not isinstance(value, bytes):
            raise CannotEncode(f"row {row}: {name} is bytes or a text, not {value!r}")
    return values


def _property_lists(batch: Any) -> list[bytes]:
    names = [name for name in PROPERTY_COLUMNS if name in batch.schema.names]
    columns = [_values(batch, name) for name in names]
    known: dict[tuple[Any, ...], bytes] = {}
    lists = []
    for row, values in enumerate(zip(*columns, strict=True) if columns else [()] * batch.num_rows):
        raw = known.get(values)
        if raw is None:
            raw = known[values] = _encoded(row, dict(zip(names, values, strict=True)))
        lists.append(raw)
    return lists


def _encoded(row: int, values: dict[str, Any]) -> bytes:
    # A message is persistent unless its row says otherwise: who writes a table wants to find it again.
    given = _PERSISTENT | {name: value for name, value in values.items() if value is not None}
    try:
        return BasicProperties.of(**{name: _reader(name)(value) for name, value in given.items()}).raw
    except (CannotEncode, AttributeError, TypeError, ValueError, RecursionError) as exc:
        raise CannotEncode(f"row {row}: {exc}") from exc


def _reader(name: str) -> Callable[[Any], Any]:
    return _READERS.get(name, lambda value: value)


#: Values that are not written as they stand in the table.
_READERS: Final[dict[str, Callable[[Any], Any]]] = {
    "headers": headers_from_json,
    "priority": int,
    "delivery_mode": int,
}
