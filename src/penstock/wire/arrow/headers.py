"""A message's headers as JSON, and back.

AMQP's field types are more than JSON's: moments become ISO 8601, bytes text if they are UTF-8 and base64 if
not, decimals text. Back, the type follows from the value as for any header written in Python.
"""

from __future__ import annotations

import json
from base64 import b64encode
from datetime import datetime
from decimal import Decimal
from math import isfinite
from typing import TYPE_CHECKING, Any, Final

import msgspec

from penstock.wire.amqp.errors import CannotEncode, Malformed
from penstock.wire.amqp.table import decode_table

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.wire.amqp.table import Table, Value

__all__ = ["headers_from_json", "headers_to_json"]


def headers_to_json(raw: bytes) -> str | None:
    """A table with its length in front, as a JSON object; None if it cannot be read."""
    try:
        table, _ = decode_table(raw)
    except Malformed:
        return None
    text = json.dumps(_shown(table), ensure_ascii=False, separators=(",", ":"))
    # A name may be no UTF-8.
    return text.encode("utf-8", "replace").decode()


def headers_from_json(text: str) -> Table:
    """The headers that a JSON object holds.

    Raises:
        CannotEncode: it is no JSON object.
    """
    try:
        found: Any = msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as exc:
        raise CannotEncode(f"headers are a JSON object: {exc}") from exc
    if not isinstance(found, dict):
        raise CannotEncode(f"headers are a JSON object, not {text[:40]}")
    return found


def _shown(value: Value) -> Any:
    """A value as JSON has it."""
    show = _SHOWN.get(type(value))
    return value if show is None else show(value)


def _text(value: bytes) -> str:
    try:
        return value.decode()
    except UnicodeDecodeError:
        return b64encode(value).decode()


#: What is not the same in JSON.
_SHOWN: Final[dict[type, Callable[[Any], Any]]] = {
    dict: lambda value: {name: _shown(each) for name, each in value.items()},
    list: lambda value: [_shown(each) for each in value],
    bytes: _text,
    datetime: datetime.isoformat,
    Decimal: str,
    float: lambda value: value if isfinite(value) else None,
}
