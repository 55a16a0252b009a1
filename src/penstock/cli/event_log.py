"""`penstock event-log`: fill the event log from a queue, look at it, ask it, tidy it.

Spark is loaded when a command needs it: the others start sooner.
"""

from __future__ import annotations

import os
from dataclasses import asdict
from typing import Annotated, Final

import typer

from penstock.cli.errors import explained
from penstock.cli.options import JsonOption  # noqa: TC001  Typer reads it
from penstock.cli.printing import print_json
from penstock.cli.reaching import VARIABLE as BROKER
from penstock.cli.reaching import broker_url
from penstock.cli.tables import print_table
from penstock.errors import BadSetting
from penstock.settings.quantities import read_duration

__all__ = ["MASTER", "LogOption", "MasterOption", "event_log"]

event_log = typer.Typer(
    name="event-log",
    help="Keep every event in a table that SQL can ask; look at it, and tidy it.",
    no_args_is_help=True,
)

#: The environment's word for where the log is.
VARIABLE: Final = "PENSTOCK_EVENT_LOG"

LogOption = Annotated[
    str,
    typer.Option(
        "--log",
        metavar="FOLDER",
        envvar=VARIABLE,
        help="The event log: a folder, or a URL.",
        show_default=False,
    ),
]
#: All cores of this machine.
MASTER: Final = "local[*]"
MasterOption = Annotated[
    str, typer.Option("--master", metavar="URL", help="Where Spark runs: local[*], spark://host:7077.")
]

OnceOption = Annotated[bool, typer.Option("--once", help="File what waits now, and end.")]


@event_log.command()
def show(
    log: LogOption,
    as_json: JsonOption = False,  # noqa: FBT002  an option that is not given
) -> None:
    """Show how many events there are of each day and type."""
    with explained():
        from penstock.pipelines.event_log import EventLog  # noqa: PLC0415  other commands start sooner
        from penstock.pipelines.event_log.log import LIVES  # noqa: PLC0415

        kept = EventLog(log)
        tables = [(("day", "type", "events"), list(kept.counts()))]
        if kept.has_lives():
            tables.append((("day", "step", "messages"), list(kept.counts(LIVES))))
        if as_json:
            found = [[dict(zip(columns, row, strict=True)) for row in rows] for columns, rows in tables]
            print_json(dict(zip(("events", "lives"), found, strict=False)))
            return
        for columns, rows in tables:
            print_table(columns, rows)


@event_log.command()
def tidy(
    log: LogOption,
    keep: Annotated[
        str | None, typer.Option(metavar="TIME", help="Events of earlier days go, such as 90d; else none.")
    ] = None,
    keep_files: Annotated[
        str,
        typer.Option(metavar="TIME", help="Replaced files go after so long: longer than any query takes."),
    ] = "24h",
    as_json: JsonOption = False,  # noqa: FBT002  an option that is not given
) -> None:
    """Gather small files, forget what is too old, and remove files that nobody needs."""
    with explained():
        from penstock.clock import SystemClock  # noqa: PLC0415  other commands start sooner
        from penstock.pipelines.event_log import EventLog  # noqa: PLC0415

        kept = EventLog(log)
        list(kept.counts())
        spans = _span(keep, "keep") if keep is not None else None, _span(keep_files, "keep-files")
        done = kept.tend(now=SystemClock().now(), keep=spans[0], keep_files=spans[1])
        if as_json:
            print_json({name: asdict(tended) for name, tended in done.items()})
            return
        for name, tended in done.items():
            typer.echo(f"{name}: {tended}")


@event_log.command()
def sql(
    log: LogOption,
    query: Annotated[
        str, typer.Argument(metavar="SQL", help='Such as "SELECT type, count(*) FROM events GROUP BY type".')
    ],
    limit: Annotated[int, typer.Option(metavar="N", min=1, help="Rows to show at most.")] = 100,
    master: MasterOption = MASTER,
    as_json: JsonOption = False,  # noqa: FBT002  an option that is not given
) -> None:
    """Ask the log: views are events, latest_events, events_TYPE for each type, and lives."""
    with explained():
        from penstock.pipelines.event_log.asking import ask  # noqa: PLC0415  other commands start sooner
        from penstock.pipelines.event_log.opening import opened_log  # noqa: PLC0415

        with opened_log(log, master) as (spark, kept):
            columns, rows = ask(spark, kept, query, limit)
        if as_json:
            print_json([dict(zip(columns, row, strict=True)) for row in rows])
        else:
            print_table(columns, rows)


@event_log.command()
def run(
    log: LogOption,
    queue: Annotated[
        str | None, typer.Option(metavar="NAME", help="A queue that gets every event, for the log alone.")
    ] = None,
    lives: Annotated[
        str | None, typer.Option("--lives", metavar="NAME", help="A queue that gets messages' lives.")
    ] = None,
    url: Annotated[
        str | None, typer.Option("--url", metavar="URL", help="The broker; else MQ_URL says it.")
    ] = None,
    every: Annotated[str, typer.Option(metavar="TIME", help="How often what has come is filed.")] = "10s",
    once: OnceOption = False,  # noqa: FBT002  an option that is not given
    spool: Annotated[
        str | None,
        typer.Option(metavar="FOLDER", help="For a broker that is not Penstock: executors must see it."),
    ] = None,
    checkpoints: Annotated[
        str | None, typer.Option(metavar="FOLDER", help="How far it has come; else beside the log.")
    ] = None,
    master: MasterOption = MASTER,
) -> None:
    """File what comes into queues, until asked to stop (Ctrl-C, or the signal TERM)."""
    with explained():
        if queue is None and lives is None:
            raise BadSetting("from which queue? Say --queue, or --lives, or both", setting="queue")
        seconds = _span(every, "every")
        # By name, so that no plan of Spark's has the password.
        os.environ[BROKER] = broker_url(url)
        from penstock.pipelines.event_log import EventLog  # noqa: PLC0415  other commands start sooner
        from penstock.pipelines.event_log.filling import Filling  # noqa: PLC0415
        from penstock.pipelines.event_log.waiting import wait  # noqa: PLC0415

        filling = Filling(log=EventLog(log), events=queue, lives=lives, spool=spool, checkpoints=checkpoints)
        filling.check()
        from penstock.pipelines.session import open_session  # noqa: PLC0415  likewise

        with open_session("penstock event log", master) as spark:
            queries = filling.start(spark, None if once else seconds)
            typer.echo(f"filing {', '.join(query.name for query in queries)} to {log}", err=True)
            if not wait(queries):
                typer.echo("stopped", err=True)


def _span(text: str, name: str) -> float:
    try:
        return read_duration(text)
    except ValueError as exc:
        raise BadSetting(f"{name}: {exc}", setting=name) from exc
