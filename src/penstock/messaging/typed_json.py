"""Headers as text and back, without losing what type a value has. Pure.

JSON has no bytes, times and decimals; they are written as an object with one key, which starts with `$`.
"""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from datetime import datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["dump", "load", "restored"]

_WRITERS: Final[tuple[tuple[type, str, Callable[[Any], str]], ...]] = (
    (bytes, "$bytes", lambda value: b64encode(value).decode()),
    (datetime, "$time", datetime.isoformat),
    (Decimal, "$decimal", str),
)
_READERS: Final[Mapping[str, Callable[[Any], Any]]] = {
    "$bytes": b64decode,
    "$time": datetime.fromisoformat,
    "$decimal": Decimal,
}


def dump(headers: Mapping[str, Any]) -> str:
    """The headers as text; ASCII only, so that every database takes it."""
    return json.dumps({name: _plain(value) for name, value in headers.items()})


def load(text: str) -> dict[str, Any]:
    """The headers in a text that `dump` has made."""
    return restored(json.loads(text))


def restored(plain: Mapping[str, Any]) -> dict[str, Any]:
    """The headers in what a JSON reader makes of such a text.

    Raises:
        ValueError, TypeError, ArithmeticError: somebody else has made it, and a value is not what it says.
    """
    # The outermost object is always the table of headers itself, whatever its keys.
    return {name: _rich(value) for name, value in plain.items()}


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        plain = {str(name): _plain(item) for name, item in value.items()}
        is_misleading = any(name.startswith("$") for name in plain)
        return {"$table": [[name, item] for name, item in plain.items()]} if is_misleading else plain
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    for kind, name, write in _WRITERS:
        if isinstance(value, kind):
            return {name: write(value)}
    return value if isinstance(value, str | int | float | bool | None) else str(value)


def _rich(value: Any) -> Any:
    if isinstance(value, list):
        return [_rich(item) for item in value]
    if not isinstance(value, dict):
        return value
    if len(value) == 1:
        ((name, item),) = value.items()
        # A table that has such a key itself.
        if name == "$table":
            return {key: _rich(inner) for key, inner in item}
        if name in _READERS:
            return _READERS[name](item)
    return {name: _rich(item) for name, item in value.items()}
