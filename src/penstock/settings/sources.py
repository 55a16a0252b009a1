"""Where settings come from: a TOML file, then the environment, then the command line; later wins.

An unknown name is an error that names the nearest known one: a typing mistake in a limit must not
silently leave the broker without it.
"""

from __future__ import annotations

import re
import tomllib
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from penstock.errors import SettingsError, UnknownSetting
from penstock.settings.options import ENVIRONMENT_PREFIX
from penstock.settings.settings import OPTIONS, Settings

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["CONFIG_VARIABLE", "load"]

#: Names the settings file in the environment.
CONFIG_VARIABLE: Final = ENVIRONMENT_PREFIX + "CONFIG"
#: Ours, but no settings of a broker: the file with them, and where Spark's start keeps what it has made.
NO_SETTINGS: Final = frozenset({CONFIG_VARIABLE, ENVIRONMENT_PREFIX + "CACHE"})
#: The file's tables that are passed on as they are.
TABLES: Final = ("templates", "proxies")
# Kubernetes gives every container such variables for each service, and a service may be called penstock:
# https://kubernetes.io/docs/concepts/services-networking/service/#environment-variables
_KUBERNETES: Final = re.compile(r"_SERVICE_(HOST|PORT)(_.*)?$|_PORT(_\d+_(TCP|UDP|SCTP).*)?$")


def load(
    *,
    config: Path | None = None,
    environ: Mapping[str, str] | None = None,
    arguments: Mapping[str, Any] | None = None,
) -> Settings:
    """The settings from a file, the environment and the command line.

    Args:
        config: The file; with None, the one that PENSTOCK_CONFIG names, if any.
        environ: Its PENSTOCK_… variables are used.
        arguments: By name, as typed; None is "not given".

    Raises:
        SettingsError: saying which setting is wrong, where it was set, and why.
    """
    environ = environ or {}
    named = environ.get(CONFIG_VARIABLE)
    file = config or (Path(named) if named else None)
    values = _from_file(file) if file else {}
    values |= _from_environment(environ)
    values |= _from_arguments(arguments or {})
    return Settings(**values)


def _from_file(file: Path) -> dict[str, Any]:
    tables = _parsed(file)
    folder = file.resolve().parent
    values: dict[str, Any] = {}
    for name, value in tables.items():
        if name in TABLES:
            values[name] = _table(name, value, file)
        elif name in OPTIONS:
            found = OPTIONS[name].read(value, str(file))
            # A path in a file is meant from where the file is, wherever the broker is started.
            values[name] = folder / found if isinstance(found, Path) else found
        else:
            raise _unknown(name, [*OPTIONS, *TABLES], str(file))
    return values


def _parsed(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(file.read_text("utf-8"))
    except OSError as exc:
        raise SettingsError(f"cannot read the settings file {file}: {exc.strerror}") from exc
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as exc:
        raise SettingsError(f"{file} is not TOML: {exc}") from exc


def _table(name: str, value: Any, file: Path) -> dict[str, Any]:
    if not isinstance(value, dict) or not all(isinstance(inner, dict) for inner in value.values()):
        raise SettingsError(f"{name} ({file}): write each as a table of its own, [{name}.NAME]")
    return value


def _from_environment(environ: Mapping[str, str]) -> dict[str, Any]:
    by_variable = {option.variable: option for option in OPTIONS.values()}
    values = {}
    for variable, value in environ.items():
        if variable in by_variable:
            option = by_variable[variable]
            values[option.name] = option.read(value, variable)
        elif _is_mistake(variable):
            raise _unknown(variable, [*by_variable, CONFIG_VARIABLE], "the environment")
    return values


def _is_mistake(variable: str) -> bool:
    ours = variable.startswith(ENVIRONMENT_PREFIX) and variable not in NO_SETTINGS
    return ours and not _KUBERNETES.search(variable)


def _from_arguments(arguments: Mapping[str, Any]) -> dict[str, Any]:
    values = {}
    for name, value in arguments.items():
        if name not in OPTIONS:
            raise _unknown(name, OPTIONS, "the command line")
        if value is not None:
            values[name] = OPTIONS[name].read(value, OPTIONS[name].flag or name)
    return values


def _unknown(name: str, known: Iterable[str], source: str) -> UnknownSetting:
    near = get_close_matches(name, list(known), n=1, cutoff=0.5)
    hint = f"did you mean {near[0]}?" if near else "see docs/reference/settings.md"
    return UnknownSetting(f"there is no setting {name} ({source}): {hint}")
