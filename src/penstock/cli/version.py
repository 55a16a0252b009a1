"""`penstock version`: which Penstock this is, for whoever writes a bug report."""

from __future__ import annotations

import platform

import typer

from penstock import __version__

__all__ = ["version"]


def version() -> None:
    """Show the version of Penstock, and of what it runs on."""
    typer.echo(f"penstock {__version__}, Python {platform.python_version()}, {platform.platform()}")
