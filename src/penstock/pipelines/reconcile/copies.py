"""Copies of a shared table, and what they and the table itself are asked for."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sqlalchemy import MetaData, Table, make_url
from sqlalchemy.exc import ArgumentError, NoSuchTableError

from penstock.errors import BadSetting
from penstock.pipelines.databases.columns import Column, agreed, check_key, column_of
from penstock.pipelines.databases.port import Asked

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy.engine import Engine

    from penstock.outbox import SharedTable

__all__ = ["Copy", "asked_of", "found_in"]


@dataclass(frozen=True, slots=True)
class Copy:
    """A database that keeps copies of shared tables, under the same names."""

    url: str = field(repr=False)

    @property
    def name(self) -> str:
        """What people read of it: where it is, nothing of who logs in.

        Raises:
            BadSetting: it is no URL.
        """
        try:
            read = make_url(self.url)
        except ArgumentError as exc:
            raise BadSetting("a copy is named like postgresql://user@host/name", setting="copy") from exc
        where = read.host or ""
        return f"{where}:{read.port}/{read.database}" if read.port else f"{where}/{read.database}".lstrip("/")


def found_in(engine: Engine, shared: SharedTable, copy: str) -> Table:
    """The copy of a table, as its database has it.

    Raises:
        BadSetting: there is none, or a column is missing.
    """
    try:
        table = Table(shared.name, MetaData(), schema=shared.table.schema, autoload_with=engine)
    except NoSuchTableError as exc:
        raise BadSetting(f"there is no table {shared.name} in {copy}", setting="copy") from exc
    if missing := [column.name for column in shared.columns if column.name not in table.c]:
        raise BadSetting(f"{shared.name} in {copy} has no column {', '.join(missing)}", setting="copy")
    return table


def asked_of(shared: SharedTable, copies: Sequence[Table]) -> Asked:
    """What the table and all its copies are asked for.

    A row is known by its key as the shared table words it; its content is compared in words that all have.

    Raises:
        BadSetting: the key is of a kind that rows cannot be told apart by.
    """
    key = tuple(map(column_of, shared.key))
    check_key(key)
    names = {column.name for column in key}
    content = tuple(_content(column, copies) for column in shared.content if column.name not in names)
    return Asked(table=shared.name, schema=shared.table.schema, key=key, content=content)


def _content(column: Any, copies: Sequence[Table]) -> Column:
    return agreed(column_of(column), (column_of(copy.c[column.name]) for copy in copies))
