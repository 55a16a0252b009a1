"""A table that Spark reads in parts: what each kind of database must be able to do.

Every row is told as its key, column by column, and its content: one text in which the same state is the same
in every database, or the hash of it. Integers of a key are integers; all else is text.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from contextlib import AbstractContextManager

    import pyarrow as pa

    from penstock.pipelines.databases.columns import Column

__all__ = ["CONTENT", "Asked", "Part", "Readable", "key_names"]

#: The column with a row's state.
CONTENT = "content"


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What is asked of a table."""

    table: str
    schema: str | None = None
    key: tuple[Column, ...]
    content: tuple[Column, ...]
    #: Whether the content is told as a number that the databases themselves make of it: if all do it alike.
    is_hashed: bool = False


class Part(Protocol):
    """Some rows of a table. It travels to where it is read, by pickle; its repr hides passwords."""

    def batches(self) -> Iterator[pa.RecordBatch]:
        """The rows, by `key_names` and CONTENT."""


class Readable(Protocol):
    """A table in some database."""

    asked: Asked

    def opened(self, parts: int) -> AbstractContextManager[Sequence[Part]]:
        """About so many parts that hold each row once; they can be read until the end of the block."""


def key_names(asked: Asked) -> list[str]:
    """What the columns of a key are called in Spark, where any name would do."""
    return [f"key_{number}" for number in range(len(asked.key))]
