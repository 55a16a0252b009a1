"""Telling a person that it takes a while: a spinner and the seconds on a terminal, else one plain line."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["told"]


@contextmanager
def told(text: str, *, shown: bool | None = None) -> Iterator[None]:
    """Tell on standard error what is being done, while it is.

    Args:
        text: What is being done.
        shown: Whether to tell; if not said, only a terminal is told.
    """
    console = Console(stderr=True, highlight=False)
    if shown is False or (shown is None and not console.is_terminal):
        yield
    elif not console.is_terminal:
        print(f"{text} …", file=sys.stderr, flush=True)  # noqa: T201 (it is for a person)
        yield
    else:
        columns = SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn()
        with Progress(*columns, console=console, transient=True) as progress:
            progress.add_task(text, total=None)
            yield
