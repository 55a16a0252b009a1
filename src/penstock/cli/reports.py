"""`penstock reports`: what happened, from the event log, as tables and pictures."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003  Typer reads it
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from penstock.cli.errors import explained
from penstock.cli.event_log import MASTER, LogOption, MasterOption
from penstock.cli.instants import INSTANT, maybe_instant
from penstock.cli.options import JsonOption  # noqa: TC001  Typer reads it
from penstock.cli.printing import print_json
from penstock.cli.tables import print_table
from penstock.errors import BadSetting

if TYPE_CHECKING:
    from penstock.pipelines.reports import Report

__all__ = ["reports"]

#: As penstock.pipelines.reports has them, without loading it.
KNOWN = ("rates", "retries", "failures", "lead-times")


def reports(
    log: LogOption,
    names: Annotated[
        list[str] | None, typer.Argument(metavar="REPORT", help=f"{', '.join(KNOWN)}; all if none is named.")
    ] = None,
    since: Annotated[
        str | None, typer.Option("--from", "--since", metavar="TIME", help=f"From then on. {INSTANT}")
    ] = None,
    until: Annotated[
        str | None, typer.Option("--to", "--until", metavar="TIME", help=f"Before then. {INSTANT}")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Draw pictures, too, and put them there.")
    ] = None,
    picture: Annotated[
        Literal["png", "svg"], typer.Option(metavar="png|svg", help="The pictures' format.")
    ] = "png",
    limit: Annotated[int, typer.Option(metavar="N", min=1, help="Rows of a table to show at most.")] = 30,
    master: MasterOption = MASTER,
    as_json: JsonOption = False,  # noqa: FBT002  an option that is not given
) -> None:
    """Show rates, retries, reasons of failures and lead times."""
    with explained():
        wanted = tuple(names or KNOWN)
        if unknown := [name for name in wanted if name not in KNOWN]:
            raise BadSetting(
                f"there is no report {unknown[0]}; there are {', '.join(KNOWN)}", setting="report"
            )
        span = {"since": maybe_instant(since, "from"), "until": maybe_instant(until, "to")}
        from penstock.pipelines.event_log.opening import opened_log  # noqa: PLC0415  other commands start sooner
        from penstock.pipelines.reports import draw, made  # noqa: PLC0415

        with opened_log(log, master) as (spark, kept):
            found = made(spark, kept, wanted, **span)
        if as_json:
            print_json({each.name: _fields(each) for each in found})
        for number, report in enumerate(() if as_json else found):
            if number:
                typer.echo("")
            if report.note:
                typer.echo(f"{report.title}: {report.note}")
                continue
            print_table(report.columns, report.rows[:limit], title=report.title)
            if len(report.rows) > limit:
                typer.echo(f"… and {len(report.rows) - limit} rows more")
        for report in found:
            if out is not None and (path := draw(report, out, picture)) is not None:
                typer.echo(f"drawn: {path}", err=True)


def _fields(report: Report) -> dict[str, Any]:
    rows = [dict(zip(report.columns, row, strict=True)) for row in report.rows]
    return {"title": report.title, "rows": rows, "note": report.note}
