"""The command line: all commands under one name, one file each."""

from __future__ import annotations

import typer

from penstock.cli.broker import broker
from penstock.cli.demo import demo
from penstock.cli.version import version

__all__ = ["app", "main"]

app = typer.Typer(
    name="penstock",
    help="A message broker and data pipeline for Python teams.",
    no_args_is_help=True,
    add_completion=False,
    # Rich tracebacks show local variables, and a password may be among them.
    pretty_exceptions_enable=False,
)
app.command()(broker)
app.command()(demo)
app.command()(version)


def main() -> None:
    """What `penstock` and `python -m penstock` run."""
    app(prog_name="penstock")
