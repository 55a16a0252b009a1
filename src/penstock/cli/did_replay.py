"""`penstock did replay`: a node is rebuilt from anchors: its own storage's, and those that others tell of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from penstock.cli.did_neighbours import opened_places, service_of
from penstock.cli.did_options import DATA, DataOption, DomainOption
from penstock.cli.errors import FAILED, explained
from penstock.cli.event_log import MASTER, MasterOption
from penstock.cli.options import JsonOption  # noqa: TC001  Typer reads it
from penstock.cli.printing import print_json
from penstock.cli.progress import progress
from penstock.cli.tables import print_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from penstock.pipelines.did.replay import Failed, Replay, Replayed

__all__ = ["replay"]

#: Failures that are shown; a domain that is gone may have thousands.
SHOWN = 20

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
    as_json: JsonOption = False,  # noqa: FBT002  an option that is not given
) -> None:
    """Rebuild a domain's records from anchors, on Spark; what it has observed already is left alone.

    A replay that was stopped goes on where it was when the same command is given again. The domain may run
    meanwhile.
    """
    with explained():
        services = [service_of(each) for each in sources or ()]
        places = opened_places(data, domain)
        from penstock.pipelines.did.replay import Replay  # noqa: PLC0415  other commands start sooner
        from penstock.pipelines.did.session import open_did_session  # noqa: PLC0415

        with open_did_session("penstock did replay", master) as spark:
            replaying = Replay(spark, places)
            try:
                done = _run(replaying, services, own=own, is_quiet=as_json)
            finally:
                replaying.close()
        if as_json:
            failed = [{"anchor": each.hash, "error": str(each.error)} for each in done.failed]
            told = {"observed": done.observed, "operations": done.operations, "known": done.known}
            print_json({**told, "left_out": done.left_out, "failed": failed})
        else:
            _show(done)
        if done.failed:
            raise typer.Exit(FAILED)


def _run(replaying: Replay, services: Sequence[str], *, own: bool, is_quiet: bool) -> Replayed:
    anchors = replaying.own() if own else []
    for service in services:
        told = replaying.told_by(service)
        typer.echo(f"{service} tells of {len(told)} anchors", err=True)
        anchors += told
    with progress("anchors", is_quiet=is_quiet) as tell:
        return replaying.run(anchors, tell)


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
