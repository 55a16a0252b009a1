"""Some of the differences as a person wants to see them: which row, and which of its columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import select, tuple_

from penstock.pipelines.databases.columns import column_of, value_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from sqlalchemy import Table
    from sqlalchemy.engine import Engine

    from penstock.outbox import SharedTable

__all__ = ["shown"]

#: Characters of a value that are shown.
LONGEST: Final = 40


def shown(
    shared: SharedTable,
    here: Engine,
    copy: Table,
    there: Engine,
    samples: Sequence[tuple[str, tuple[Any, ...]]],
) -> Iterator[str]:
    """A line for each sample: what kind of difference, the key, and for an update the columns, old → new.

    Args:
        shared: The table.
        here: Its database.
        copy: The table's copy.
        there: The copy's database.
        samples: The kind of each, and the key as databases tell it.
    """
    columns = [column_of(column) for column in shared.key]
    keys = [tuple(map(value_of, columns, key)) for _, key in samples]
    now, before = _rows(here, shared, shared.table, keys), _rows(there, shared, copy, keys)
    for (kind, _), key in zip(samples, keys, strict=True):
        names = (column.name for column in shared.key)
        row = ", ".join(f"{name}={value}" for name, value in zip(names, key, strict=True))
        changed = _changed(before.get(key), now.get(key)) if kind == "updated" else ""
        yield f"{shared.name} {kind}: {row}{changed}"


def _rows(
    engine: Engine, shared: SharedTable, table: Table, keys: Sequence[tuple[Any, ...]]
) -> Mapping[tuple[Any, ...], Mapping[str, Any]]:
    width = len(shared.key)
    columns = [table.c[column.name] for column in shared.columns]
    key = tuple_(*columns[:width]) if width > 1 else columns[0]
    wanted = keys if width > 1 else [each[0] for each in keys]
    names = [column.name for column in shared.content]
    with engine.connect() as connection:
        found = connection.execute(select(*columns).where(key.in_(wanted))).all()
    return {tuple(row[:width]): dict(zip(names, row[width:], strict=True)) for row in found}


def _changed(before: Mapping[str, Any] | None, now: Mapping[str, Any] | None) -> str:
    """The columns that differ; nothing if a row has gone since, or differs only to its own database."""
    if before is None or now is None:
        return ""
    told = [
        f"{name} {_short(before[name])} → {_short(now[name])}" for name in now if before[name] != now[name]
    ]
    return f" ({', '.join(told)})" if told else ""


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
