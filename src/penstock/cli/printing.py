"""What a command has found: a table or a line for people, JSON for programs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import typer

from penstock.cli.tables import print_table

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

__all__ = ["print_done", "print_fields", "print_json", "print_rows"]


def print_json(value: Any) -> None:
    """As JSON, in a form that people can read, too."""
    typer.echo(json.dumps(value, indent=2, ensure_ascii=False, default=str))


def print_rows(rows: Iterable[Mapping[str, Any]], columns: Sequence[str], *, as_json: bool) -> None:
    """Things of one kind: all they have as JSON, or some columns of it as a table."""
    found = list(rows)
    if as_json:
        print_json(found)
    else:
        print_table(columns, [[_cell(row.get(column)) for column in columns] for row in found])


def print_fields(fields: Mapping[str, Any], *, as_json: bool) -> None:
    """One thing: a line for each of its fields."""
    if as_json:
        print_json(fields)
        return
    width = max(map(len, fields), default=0)
    for name, value in fields.items():
        typer.echo(f"{name.ljust(width)}  {_cell(value)}".rstrip())


def print_done(line: str, fields: Mapping[str, Any], *, as_json: bool) -> None:
    """What was done."""
    if as_json:
        print_json(fields)
    else:
        typer.echo(line)


def _cell(value: Any) -> Any:
    if isinstance(value, dict):
        return " ".join(f"{key}={each}" for key, each in value.items())
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return value
