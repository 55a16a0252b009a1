"""The parameters of a DID domain as options of a command, each with the explanation that it has there."""

from __future__ import annotations

from functools import wraps
from inspect import Parameter, signature
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import typer

from penstock.did.parameters import OTHER_NAMES, PARAMETERS, flag_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.settings import Option

__all__ = ["given_parameters", "with_parameters"]

#: The argument that takes the file of parameters.
CONFIG: Final = "config"


def with_parameters(command: Callable[..., None]) -> Callable[..., None]:
    """The command with every parameter as an option; it gets them as `given`, by name."""
    # Evaluated: Typer does not look behind the names of annotations that a wrapper has.
    told = signature(command, eval_str=True)
    own = [each for each in told.parameters.values() if each.name != "given"]

    @wraps(command)
    def wrapped(**arguments: Any) -> None:
        names = {CONFIG, *PARAMETERS}
        given = {name: value for name, value in arguments.items() if name in names}
        rest = {name: value for name, value in arguments.items() if name not in names}
        command(**rest, given=given)

    # Typer reads a command's options from its signature.
    shown = [*own, _config(), *(_parameter(option) for option in PARAMETERS.values())]
    wrapped.__signature__ = told.replace(parameters=shown)  # type: ignore[attr-defined]
    return wrapped


def given_parameters(given: dict[str, Any]) -> tuple[dict[str, Any], Path | None]:
    """The parameters that were given, and the file that has others: as `load_parameters` takes them."""
    given = dict(given)
    config = given.pop(CONFIG)
    return {name: _typed(value) for name, value in given.items()}, config


def _typed(value: Any) -> Any:
    """What was repeated becomes one list, and what was not given None."""
    return (",".join(value) or None) if isinstance(value, list) else value


def _config() -> Parameter:
    shown = typer.Option(
        None, "--config", metavar="FILE", help="A TOML file with parameters by name.", show_default=False
    )
    return Parameter(CONFIG, Parameter.KEYWORD_ONLY, default=shown, annotation=Path | None)


def _parameter(option: Option) -> Parameter:
    others = [f"--{other}" for other, name in OTHER_NAMES.items() if name == option.name]
    shown = typer.Option(
        None,
        flag_of(option.name),
        *others,
        metavar=option.kind.metavar,
        help=f"{option.help} Default: {option.shown_default}; takes {option.kind.takes}.",
        show_default=False,
        rich_help_panel=option.chapter,
    )
    annotation = list[str] | None if option.kind.is_list else str | None
    return Parameter(option.name, Parameter.KEYWORD_ONLY, default=shown, annotation=annotation)
