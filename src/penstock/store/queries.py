"""The SQL of this package: named, described queries in sql/*.sql, and where to find them.

A query begins with a line `-- name: what it does` and ends where the next one begins.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["SQL_FOLDER", "load", "repeated"]

SQL_FOLDER: Final = Path(__file__).parent / "sql"
HEADING: Final = re.compile(r"^-- (\w+): .+\n", re.MULTILINE)


@cache
def load(file: str) -> Mapping[str, str]:
    """The queries of sql/<file>.sql by name."""
    _, *pieces = HEADING.split((SQL_FOLDER / f"{file}.sql").read_text())
    return {name: text.strip().rstrip(";") for name, text in zip(pieces[::2], pieces[1::2], strict=True)}


@cache
def repeated(insert: str, times: int) -> str:
    """The same INSERT for so many rows at once."""
    head, _, row = insert.partition("VALUES ")
    return f"{head}VALUES {', '.join([row] * times)}"
