"""How far long work is: a bar on a terminal, a line now and then elsewhere, nothing for programs.

What is done, of how many, how many a second, and the time that is left. On standard error: what a command
has found stands on standard output.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, TypeAlias

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn

from penstock.clock import SystemClock

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from penstock.clock import Clock

    #: Told how much is done, and of how much; None while nobody knows.
    Tell: TypeAlias = Callable[[int, int | None], object]

__all__ = ["Lines", "progress", "said"]

#: Seconds between two lines where nobody watches: a log is no terminal.
EVERY_S: Final = 5.0
MINUTE: Final = 60
HOUR: Final = 3600


@contextmanager
def progress(what: str, *, is_quiet: bool = False, clock: Clock | None = None) -> Iterator[Tell]:
    """Show how far the block is; it says so itself, with what it is given.

    Args:
        what: That is counted, such as messages.
        is_quiet: A program reads what comes of it, and nobody watches.
        clock: For the rate.
    """
    console, clock = Console(stderr=True, highlight=False), clock or SystemClock()
    if is_quiet:
        yield lambda _done, _total: None
    elif console.is_terminal:
        with _bar(what, console, clock) as tell:
            yield tell
    else:
        yield Lines(what, clock)


def said(what: str, done: int, total: int | None, seconds: float) -> str:
    """How far it is, in words: 1,200 of 5,000 messages, 600/s, 6 s left. Pure."""
    words = [f"{done:,} {what}" if total is None else f"{done:,} of {total:,} {what}"]
    rate = done / seconds if seconds > 0 else 0.0
    if rate:
        words.append(f"{rate:,.0f}/s" if rate >= 1 else f"{rate:.2f}/s")
        if total is not None and done < total:
            words.append(f"{_span((total - done) / rate)} left")
    return ", ".join(words)


class Lines:
    """A line now and then, and one at the end if there was any before: short work is not worth a word."""

    def __init__(self, what: str, clock: Clock) -> None:
        self._what = what
        self._clock = clock
        self._begun_at = self._told_at = clock.now()
        self._has_told = False

    def __call__(self, done: int, total: int | None) -> None:
        now = self._clock.now()
        is_over = self._has_told and done == total
        if is_over or now - self._told_at >= EVERY_S:
            self._told_at, self._has_told = now, True
            typer.echo(said(self._what, done, total, now - self._begun_at), err=True)


@contextmanager
def _bar(what: str, console: Console, clock: Clock) -> Iterator[Tell]:
    begun = clock.now()
    columns = BarColumn(), TextColumn("{task.description}", markup=False)
    with Progress(*columns, console=console, transient=True) as bar:
        # Without a total it only shows that something is under way.
        task = bar.add_task(f"{what} …", total=None)

        def tell(done: int, total: int | None) -> None:
            words = said(what, done, total, clock.now() - begun)
            bar.update(task, completed=done, total=total, description=words)

        yield tell


def _span(seconds: float) -> str:
    if seconds < MINUTE:
        return f"{seconds:.0f} s"
    if seconds < HOUR:
        return f"{seconds // MINUTE:.0f} min {seconds % MINUTE:.0f} s"
    return f"{seconds // HOUR:.0f} h {seconds % HOUR // MINUTE:.0f} min"
