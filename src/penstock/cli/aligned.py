"""A table of text: columns one below the other, wide enough for what is in them, and never cut off. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["aligned"]


def aligned(headings: Sequence[str], rows: Iterable[Sequence[object]]) -> list[str]:
    """The lines of a table; None is shown as a dash."""
    table = [list(headings), *([_text(cell) for cell in row] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    return ["  ".join(map(str.ljust, row, widths)).rstrip() for row in table]


def _text(cell: object) -> str:
    return "-" if cell is None else " ".join(str(cell).split())
