"""The SQL of an upsert, for PostgreSQL and SQLite, which write it alike. Pure: names in, text out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

__all__ = ["Statements"]

Quote = Callable[[str], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Statements:
    """The statements about one table. Names are quoted already, but for those given to the verbs."""

    #: The table, with its schema if it has one.
    table: str
    key: Sequence[str]
    #: A column of the table: a row that is older by it changes nothing.
    order: str | None
    quote: Quote

    def upsert(self, columns: Sequence[str], source: str) -> str:
        """Rows from a source, in the place of those with the same key.

        Args:
            columns: The rows', key included.
            source: `VALUES (?, ?)`, or `SELECT … FROM …`.
        """
        names = ", ".join(map(self.quote, columns))
        key = ", ".join(map(self.quote, self.key))
        changed = [self.quote(name) for name in columns if name not in self.key]
        if not changed:
            return f"INSERT INTO {self.table} ({names}) {source} ON CONFLICT ({key}) DO NOTHING"
        setting = ", ".join(f"{name} = excluded.{name}" for name in changed)
        return (
            f"INSERT INTO {self.table} ({names}) {source} ON CONFLICT ({key})"
            f" DO UPDATE SET {setting}{self._unless_newer('excluded.', ' WHERE ')}"
        )

    def delete_one(self) -> str:
        """The row with a key, and not newer than an order if there is one: the parameters in that order."""
        where = " AND ".join(f"{self.quote(name)} = ?" for name in self.key)
        if self.order is None:
            return f"DELETE FROM {self.table} WHERE {where}"  # noqa: S608  names are quoted, values are parameters
        order = self.quote(self.order)
        return f"DELETE FROM {self.table} WHERE {where} AND ({order} IS NULL OR {order} <= ?)"  # noqa: S608  likewise

    def delete_all(self, source: str) -> str:
        """The rows with the keys of another table."""
        where = " AND ".join(
            f"{self.table}.{self.quote(name)} = {source}.{self.quote(name)}" for name in self.key
        )
        newer = self._unless_newer(f"{source}.", " AND ")
        return f"DELETE FROM {self.table} USING {source} WHERE {where}{newer}"  # noqa: S608  likewise

    def _unless_newer(self, other: str, before: str) -> str:
        if self.order is None:
            return ""
        order = self.quote(self.order)
        return f"{before}({self.table}.{order} IS NULL OR {self.table}.{order} <= {other}{order})"
