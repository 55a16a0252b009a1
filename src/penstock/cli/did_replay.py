"""`penstock did replay`: a node is rebuilt from anchors: its own storage's, and those that others tell of."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from penstock.cli.did_neighbours import DATA, DataOption, DomainOption, opened_places, service_of
from penstock.cli.errors import FAILED, explained
from penstock.cli.event_log import MASTER, MasterOption
from penstock.cli.tables import print_table
from penstock.clock import SystemClock

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from penstock.pipelines.did.replay import Failed, Replay, Replayed

__all__ = ["Counter", "replay"]

#: Failures that are shown; a domain that is gone may have thousands.
SHOWN = 20
#: Seconds between two lines about how far it is.
EVERY_S = 1.0

SourceOption = Annotated[
    list[str] | None,
    typer.Option(
        "--from",
        metavar="URL",
        help="A domain, or its service, whose outbox is read. May be given several times.",
    ),
]
OwnOption = Annotated[
    bool, typer.Option("--own/--no-own", help="Whether anchors in the domain's own storage are replayed.")
]


def replay(
    sources: SourceOption = None,
    own: OwnOption = True,  # noqa: FBT002  an option that is not given
    data: DataOption = DATA,
    domain: DomainOption = None,
    master: MasterOption = MASTER,
) -> None:
    """Rebuild a domain's records from anchors, on Spark; what it has observed already is left alone.

    A replay that was stopped goes on where it was when the same command is given again. The domain may run
    meanwhile.
    """
    with explained():
        services = [service_of(each) for each in sources or ()]
        places = opened_places(data, domain)
        from penstock.pipelines.did.replay import Replay  # noqa: PLC0415  other commands start sooner
        from penstock.pipelines.session import open_session  # noqa: PLC0415

        with open_session("penstock did replay", master) as spark:
            replaying = Replay(spark, places)
            try:
                done = _run(replaying, services, own=own)
            finally:
                replaying.close()
        _show(done)
        if done.failed:
            raise typer.Exit(FAILED)


def _run(replaying: Replay, services: Sequence[str], *, own: bool) -> Replayed:
    anchors = replaying.own() if own else []
    for service in services:
        told = replaying.told_by(service)
        typer.echo(f"{service} tells of {len(told)} anchors", err=True)
        anchors += told
    return replaying.run(anchors, Counter("anchors"))


def _show(done: Replayed) -> None:
    typer.echo(
        f"{done.observed} anchors observed with {done.operations} operations, {done.known} were known before"
    )
    if done.left_out:
        typer.echo(f"{done.left_out} operations that nobody has signed were left out")
    if done.failed:
        print_table(("anchor", "error"), _rows(done.failed))
        typer.echo(f"{len(done.failed)} anchors could not be observed; the same command tries them again")


def _rows(failed: Sequence[Failed]) -> list[tuple[Any, ...]]:
    rows: list[tuple[Any, ...]] = [(each.hash, str(each.error)) for each in failed[:SHOWN]]
    return rows if len(failed) <= SHOWN else [*rows, ("…", f"and {len(failed) - SHOWN} more")]


class Counter:
    """Tells on standard error how far something is; a terminal gets one line that changes."""

    def __init__(self, what: str, write: Callable[[str], object] | None = None) -> None:
        self._what = what
        self._write = write or sys.stderr.write
        self._clock = SystemClock()
        self._told_at = 0.0
        self._ends = "\r" if sys.stderr.isatty() else "\n"

    def __call__(self, done: int, total: int) -> None:
        """So many are done, of so many."""
        now = self._clock.now()
        if done < total and now - self._told_at < EVERY_S:
            return
        self._told_at = now
        self._write(f"{done} of {total} {self._what}{self._ends if done < total else chr(10)}")
