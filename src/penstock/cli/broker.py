"""`penstock broker`: runs a broker until it is asked to stop.

Its options are the settings, each with the explanation it has there; nothing is written twice.
"""

from __future__ import annotations

import os
from inspect import Parameter, Signature
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from penstock.cli.errors import explained
from penstock.errors import PanelMissing
from penstock.server.logs import set_up
from penstock.settings import CONFIG_VARIABLE, OPTIONS, load

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from penstock.server.embedded import Embedded
    from penstock.server.main import Beside
    from penstock.settings import Option

__all__ = ["broker"]


def broker(**given: Any) -> None:
    """Run a broker until it is asked to stop (Ctrl-C, or the signal TERM).

    Without options it listens on localhost:5672, keeps everything in memory,
    and lets the user guest in with the password guest, from this machine only.

    Every option can also stand in a TOML file, named by --config, or in the
    environment, where --max-queues is PENSTOCK_MAX_QUEUES.
    """
    with explained():
        config = given.pop("config")
        settings = load(config=config, environ=os.environ, arguments=_typed(given))
        set_up(settings)
        # A mistake in the settings is told at once, before a whole broker is loaded.
        from penstock.server.main import serve  # noqa: PLC0415

        if settings.panel or settings.panel_tls:
            serve(settings, _panel())
        else:
            serve(settings)


def _panel() -> Callable[[Embedded], Awaitable[Beside]]:
    """What opens the panel.

    Raises:
        PanelMissing: what it stands on is not installed.
    """
    try:
        from penstock.bootstrap.panel import open_whole_panel  # noqa: PLC0415
    except ModuleNotFoundError as missing:
        raise PanelMissing(
            f"the panel needs {missing.name}: pip install 'penstock[panel]', or leave the setting panel out"
        ) from missing
    return open_whole_panel


def _typed(given: dict[str, Any]) -> dict[str, Any]:
    """The arguments as settings take them: what was repeated becomes one list, what was not given None."""
    return {
        name: (",".join(value) or None) if isinstance(value, list) else value for name, value in given.items()
    }


def _parameters() -> list[Parameter]:
    config = typer.Option(
        None,
        "--config",
        metavar="FILE",
        help=f"A TOML file with settings. The environment ({CONFIG_VARIABLE}) can name it, too.",
        show_default=False,
    )
    file = Parameter("config", Parameter.KEYWORD_ONLY, default=config, annotation=Path | None)
    return [file, *(_parameter(option, option.flag) for option in OPTIONS.values() if option.flag)]


def _parameter(option: Option, flag: str) -> Parameter:
    shown = typer.Option(
        None,
        flag,
        metavar=option.kind.metavar,
        help=f"{option.help} Default: {option.shown_default}; takes {option.kind.takes}.",
        show_default=False,
        rich_help_panel=option.chapter,
    )
    annotation = list[str] | None if option.kind.is_list else str | None
    return Parameter(option.name, Parameter.KEYWORD_ONLY, default=shown, annotation=annotation)


# Typer reads a command's options from its signature.
broker.__signature__ = Signature(_parameters())  # type: ignore[attr-defined]
