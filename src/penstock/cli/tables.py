"""Tables on a terminal: aligned for people, with tabs for programs that read a pipe."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import typer
from rich.console import Console
from rich.table import Table

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["print_table"]


def print_table(columns: Sequence[str], rows: Iterable[Sequence[Any]], *, title: str | None = None) -> None:
    """Print rows under their columns' names; numbers stand at the right."""
    told = list(rows)
    if not sys.stdout.isatty():
        if title is not None:
            typer.echo(title)
        for row in (columns, *told):
            typer.echo("\t".join("" if value is None else _exact(value) for value in row))
        return
    table = Table(title=title, title_justify="left", title_style="bold", box=None, pad_edge=False)
    for number, name in enumerate(columns):
        is_number = bool(told) and all(isinstance(row[number], int | float | None) for row in told)
        table.add_column(name, justify="right" if is_number else "left")
    for row in told:
        table.add_row(*("" if value is None else _shown(value) for value in row))
    Console().print(table)


def _exact(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _shown(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:,.3f}".rstrip("0").rstrip(".")
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)
