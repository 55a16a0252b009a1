"""`penstock version`: which Penstock this is, for whoever writes a bug report."""

# Typer reads options from annotations: they are no strings here, as they are elsewhere.

import platform

from penstock import __version__
from penstock.cli.options import JsonOption
from penstock.cli.printing import print_done

__all__ = ["version"]


def version(*, as_json: JsonOption = False) -> None:
    """Show the version of Penstock, and of what it runs on."""
    found = {
        "penstock": __version__,
        "python": platform.python_version(),
        "platform": platform.platform(),
    }
    line = f"penstock {found['penstock']}, Python {found['python']}, {found['platform']}"
    print_done(line, found, as_json=as_json)
