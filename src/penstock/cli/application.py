"""`MODULE:APP`: the application, or whatever else of a module, that a command is about, found by name."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from penstock.errors import BadSetting

if TYPE_CHECKING:
    from types import ModuleType

    from penstock.messaging.application import Application

__all__ = ["METAVAR", "load_application", "load_module"]

#: What help calls it.
METAVAR: Final = "MODULE:APP"


def load_application(text: str) -> Application:
    """The application of that name; its module is looked for in the working directory, too.

    Raises:
        BadSetting: there is no such module, or no such application in it.
    """
    # A command that is about something else starts faster without it.
    from penstock.messaging.application import Application  # noqa: PLC0415

    module_name, separator, name = text.partition(":")
    if not (module_name and separator and name):
        raise _unfit(f"{text!r}: an application is named like commons.app:app, a module and a name in it")
    module = load_module(module_name)
    found = getattr(module, name, None)
    if not isinstance(found, Application):
        there = [each for each, value in vars(module).items() if isinstance(value, Application)]
        hint = f"; there is {', '.join(there)}" if there else ""
        raise _unfit(f"{module_name} has no application {name!r}{hint}")
    return found


def load_module(name: str) -> ModuleType:
    """The module of that name, which may be in the working directory.

    Raises:
        BadSetting: there is none.
    """
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as exc:
        if exc.name is None or not f"{name}.".startswith(f"{exc.name}."):
            raise  # the module is there, and what it imports is not: its traceback says where
        raise _unfit(f"there is no module {name!r} here or on the Python path") from exc


def _unfit(told: str) -> BadSetting:
    return BadSetting(told, setting="application")
