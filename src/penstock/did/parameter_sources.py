"""Where a domain's parameters come from: a TOML file, then the environment, then the flags; later wins.

An unknown name in the file or among the flags is an error that names the nearest. The environment is
everybody's, and Orb's variables have no prefix: what is not known there is somebody else's.
"""

from __future__ import annotations

import tomllib
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, Final

from penstock.did.parameters import OTHER_NAMES, PARAMETERS, DidParameters, flag_of, variable_of
from penstock.errors import SettingsError, UnknownSetting

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

__all__ = ["load_parameters"]

#: Variable → parameter, in every spelling.
_VARIABLES: Final = {variable_of(other.replace("-", "_")): name for other, name in OTHER_NAMES.items()} | {
    variable_of(name): name for name in PARAMETERS
}
#: Name with hyphens → parameter, in every spelling.
_FLAGS: Final = dict(OTHER_NAMES) | {flag_of(name).removeprefix("--"): name for name in PARAMETERS}


def load_parameters(
    *,
    flags: Mapping[str, Any] | None = None,
    environ: Mapping[str, str] | None = None,
    config: Path | None = None,
) -> DidParameters:
    """The parameters: flags before the environment before the file before the defaults.

    Args:
        flags: By name, with hyphens or underscores; None is "not given".
        environ: What is not a parameter's in it is passed over.
        config: A TOML file with parameters by name.

    Raises:
        SettingsError: saying which parameter is wrong, where it was set, and why.
    """
    values = {} if config is None else _named(_parsed(config), str(config))
    values |= _from_environment(environ or {})
    given = {name: value for name, value in (flags or {}).items() if value is not None}
    values |= _named(given, "the command line")
    return DidParameters(**values)


def _from_environment(environ: Mapping[str, str]) -> dict[str, Any]:
    return {
        name: PARAMETERS[name].read(environ[variable], variable)
        for variable, name in _VARIABLES.items()
        if variable in environ
    }


def _named(values: Mapping[str, Any], source: str) -> dict[str, Any]:
    found = {}
    for spelled, value in values.items():
        name = _FLAGS.get(spelled.removeprefix("--").replace("_", "-"))
        if name is None:
            raise _unknown(spelled, source)
        found[name] = PARAMETERS[name].read(value, source)
    return found


def _parsed(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(file.read_text("utf-8"))
    except OSError as exc:
        raise SettingsError(f"cannot read the parameters in {file}: {exc.strerror}") from exc
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as exc:
        raise SettingsError(f"{file} is not TOML: {exc}") from exc


def _unknown(name: str, source: str) -> UnknownSetting:
    near = get_close_matches(name.replace("_", "-"), _FLAGS, n=1, cutoff=0.5)
    hint = f": did you mean {near[0]}?" if near else ""
    return UnknownSetting(f"there is no parameter {name} ({source}){hint}")
