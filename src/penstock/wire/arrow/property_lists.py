"""AMQP property lists, many at a time: the values of some properties, as columns.

The layout is AMQP 0-9-1 §4.2.6.1. Nothing here raises, whatever the bytes are: a list that cannot be read
has no properties. Values are left as bytes where that is what a column is made of.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from penstock.wire.amqp.properties import PROPERTY_NAMES

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["columns_of", "lengths_of", "present_in", "value_of"]

#: How long a value is: a short string, a table, an octet, a timestamp.
_TEXT, _TABLE, _OCTET, _SECONDS = range(4)
_NOT_TEXT: Final = {"headers": _TABLE, "delivery_mode": _OCTET, "priority": _OCTET, "timestamp": _SECONDS}
#: In the order of the wire.
_KINDS: Final = {name: _NOT_TEXT.get(name, _TEXT) for name in PROPERTY_NAMES}
#: Octets before a value that say how long it is, and how long it is if none do.
_LENGTHS: Final = {_TEXT: (1, 0), _TABLE: (4, 0), _OCTET: (0, 1), _SECONDS: (0, 8)}
#: Kind of value, and the column that it goes to; None is stepped over.
_Plan = "list[tuple[int, list[Any] | None]]"


def present_in(flags: bytes) -> list[str]:
    """The properties that a list has, in order."""
    bits = int.from_bytes(flags, "big")
    return [name for place, name in enumerate(_KINDS) if bits & (1 << (15 - place))]


def lengths_of(name: str) -> tuple[int, int]:
    """Octets before a property's value that say how long it is, and how long it is if none do."""
    return _LENGTHS[_KINDS[name]]


def value_of(name: str, raw: bytes) -> Any:
    """A value that was cut out by itself, as `columns_of` has it."""
    kind = _KINDS[name]
    if kind == _TABLE:
        return len(raw).to_bytes(4, "big") + raw
    return raw if kind == _TEXT else int.from_bytes(raw, "big")


def columns_of(lists: Sequence[bytes], wanted: Sequence[str]) -> dict[str, list[Any]]:
    """One column for each wanted property: bytes of texts, of tables with their length, and integers."""
    columns: dict[str, list[Any]] = {name: [None] * len(lists) for name in wanted}
    plans: dict[bytes, Any] = {}
    for row, raw in enumerate(lists):
        flags = raw[:2]
        plan = plans.get(flags)
        if plan is None:
            plan = plans[flags] = _plan(flags, columns)
        if plan and not _split(raw, plan, row):
            for column in columns.values():
                column[row] = None
    return columns


def _plan(flags: bytes, columns: dict[str, list[Any]]) -> list[tuple[int, list[Any] | None]]:
    """What to step over and what to keep, up to the last property that is wanted."""
    steps = [(_KINDS[name], columns.get(name)) for name in present_in(flags)]
    while steps and steps[-1][1] is None:
        steps.pop()
    return steps


def _split(raw: bytes, plan: list[tuple[int, list[Any] | None]], row: int) -> bool:
    """Put the values of one list where they belong; whether they were all there.

    One function of four branches, not one for each kind: this runs once a message.
    """
    at = 2
    try:
        for kind, column in plan:
            if kind == _TEXT:
                start = at + 1
                at = start + raw[at]
                if column is not None:
                    column[row] = raw[start:at]
            elif kind == _OCTET:
                if column is not None:
                    column[row] = raw[at]
                at += 1
            elif kind == _TABLE:
                start = at
                at += 4 + (raw[at] << 24 | raw[at + 1] << 16 | raw[at + 2] << 8 | raw[at + 3])
                if column is not None:
                    column[row] = raw[start:at]
            else:
                if column is not None:
                    column[row] = int.from_bytes(raw[at : at + 8], "big")
                at += 8
    except IndexError:
        return False
    return at <= len(raw)
