"""Arguments and options that several commands have in common, each described once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from penstock.cli.application import METAVAR

__all__ = [
    "ApiOption",
    "ApplicationArgument",
    "JsonOption",
    "ManagementOption",
    "MaybeApplicationArgument",
    "TopologyFileOption",
    "UrlOption",
    "VhostOption",
    "YesOption",
]

_application = typer.Argument(metavar=METAVAR, help="The application, such as commons.app:app.")

ApplicationArgument = Annotated[str, _application]
MaybeApplicationArgument = Annotated[str | None, _application]

UrlOption = Annotated[
    str | None,
    typer.Option("--url", metavar="URL", help="The broker; else the application's, or MQ_URL says it."),
]
TopologyFileOption = Annotated[
    Path | None,
    typer.Option("--file", metavar="FILE", help="A topology in TOML, beside the application's or alone."),
]
ManagementOption = Annotated[
    str | None,
    typer.Option(
        "--management", metavar="URL", help="RabbitMQ's management API; else port 15672 beside the broker."
    ),
]

# Of commands that ask the management API, RabbitMQ's or ours

ApiOption = Annotated[
    str,
    typer.Option(
        "--management",
        metavar="URL",
        envvar="PENSTOCK_MANAGEMENT",
        help="The broker's management API: Penstock's panel, or RabbitMQ's plugin.",
    ),
]
VhostOption = Annotated[str, typer.Option("--vhost", "-V", metavar="NAME", help="The virtual host.")]
JsonOption = Annotated[bool, typer.Option("--json", help="As JSON, for programs.")]
YesOption = Annotated[bool, typer.Option("--yes", "-y", help="Do it without asking.")]
