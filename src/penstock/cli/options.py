"""Arguments and options that several commands have in common, each described once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from penstock.cli.application import METAVAR

__all__ = [
    "ApplicationArgument",
    "ManagementOption",
    "MaybeApplicationArgument",
    "TopologyFileOption",
    "UrlOption",
]

_application = typer.Argument(metavar=METAVAR, help="The application, such as commons.app:app.")

ApplicationArgument = Annotated[str, _application]
MaybeApplicationArgument = Annotated[str | None, _application]

UrlOption = Annotated[
    str | None,
    typer.Option("--url", metavar="URL", help="The broker; else the application's, or MQ_URL says it."),
]
TopologyFileOption = Annotated[
    Path | None, typer.Option("--file", metavar="FILE", help="A topology in TOML, beside or instead of it.")
]
ManagementOption = Annotated[
    str | None,
    typer.Option(
        "--management", metavar="URL", help="RabbitMQ's management API; else port 15672 beside the broker."
    ),
]
