"""`penstock event-log`: fill the event log from a queue, look at it, ask it, tidy it.

Spark is loaded when a command needs it: the others start sooner.
"""

from __future__ import annotations

import os
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from penstock.cli.errors import FAILED, explained
from penstock.cli.logs import set_up_logs
from penstock.cli.options import JsonOption  # noqa: TC001  Typer reads it
from penstock.cli.printing import print_json
from penstock.cli.reaching import VARIABLE as BROKER
from penstock.cli.reaching import broker_url
from penstock.cli.stopping import ASKING, stopping
from penstock.cli.tables import print_table
from penstock.errors import BadSetting
from penstock.settings.quantities import read_duration

if TYPE_CHECKING:
    from collections.abc import Mapping

    from penstock.pipelines.event_log.filling import Filling

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

#: What is shown of each table.
SHOWN: Final = {"events": ("day", "type", "events"), "lives": ("day", "step", "messages")}

KeepOption = Annotated[
    str | None, typer.Option(metavar="TIME", help="Events of earlier days go, such as 90d; else none.")
]
KeepFilesOption = Annotated[
    str, typer.Option(metavar="TIME", help="Replaced files go after so long: longer than any query takes.")
]
KEEP_FILES: Final = "24h"
OnceOption = Annotated[bool, typer.Option("--once", help="File what waits now, and end.")]


@event_log.command()
def show(
    log: LogOption,
    as_json: JsonOption = False,  # noqa: FBT002  an option that is not given
) -> None:
    """Show how many events there are of each day and type."""
    with explained():
        from penstock.pipelines.event_log import EventLog  # noqa: PLC0415  other commands start sooner

        kept = EventLog(log)
        tables = {name: list(kept.counts(name)) for name in kept.tables()}
        if as_json:
            print_json(
                {
                    name: [dict(zip(SHOWN[name], row, strict=True)) for row in rows]
                    for name, rows in tables.items()
                }
            )
            return
        for name, rows in tables.items():
            print_table(SHOWN[name], rows)


@event_log.command()
def tidy(
    log: LogOption,
    keep: KeepOption = None,
    keep_files: KeepFilesOption = KEEP_FILES,
    as_json: JsonOption = False,  # noqa: FBT002  an option that is not given
) -> None:
    """Gather small files, forget what is too old, and remove files that nobody needs."""
    with explained():
        from penstock.clock import SystemClock  # noqa: PLC0415  other commands start sooner
        from penstock.pipelines.event_log import EventLog  # noqa: PLC0415

        kept = EventLog(log)
        kept.tables()
        done = kept.tend(now=SystemClock().now(), **_kept_for(keep, keep_files))
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
    tidy_every: Annotated[
        str, typer.Option(metavar="TIME", help="How often the log is tidied meanwhile; 0s is never.")
    ] = "1h",
    keep: KeepOption = None,
    keep_files: KeepFilesOption = KEEP_FILES,
    master: MasterOption = MASTER,
) -> None:
    """File what comes into queues, until asked to stop (Ctrl-C, or the signal TERM).

    What fails is tried again, later and later. Small files are gathered, and what is too old goes, as often
    as --tidy-every says; with --once they are not: see tidy. Exits with 1 if it has failed for good.
    """
    with explained():
        if queue is None and lives is None:
            raise BadSetting("from which queue? Say --queue, or --lives, or both", setting="queue")
        _span(every, "every")
        upkeep = {"every": 0.0 if once else _span(tidy_every, "tidy-every"), **_kept_for(keep, keep_files)}
        set_up_logs()
        # By name, so that no plan of Spark's has the password.
        os.environ[BROKER] = broker_url(url)
        from penstock.pipelines.event_log import EventLog  # noqa: PLC0415  other commands start sooner
        from penstock.pipelines.event_log.filling import Filling  # noqa: PLC0415

        kept = EventLog(log)
        filling = Filling(
            log=kept, events=queue, lives=lives, every=every, spool=spool, checkpoints=checkpoints
        )
        filling.check()
        if "failed" in _filled(filling, master, upkeep, once=once).values():
            raise typer.Exit(FAILED)


def _filled(filling: Filling, master: str, upkeep: Mapping[str, Any], *, once: bool) -> Mapping[str, str]:
    """Fill the log until that has an end; what the end of each pipeline was."""
    from penstock.clock import SystemClock  # noqa: PLC0415  other commands start sooner
    from penstock.pipelines.declared.supervising import Supervisor  # noqa: PLC0415
    from penstock.pipelines.event_log.upkeep import Upkeep  # noqa: PLC0415
    from penstock.pipelines.session import open_session  # noqa: PLC0415

    pipelines, clock = filling.pipelines(), SystemClock()
    with stopping(*ASKING) as on_signals, open_session("penstock event log", master) as spark:
        supervisor = Supervisor(pipelines, filling.data, spark, clock=clock, once=once)
        on_signals(supervisor.stop)
        typer.echo(f"filing {', '.join(each.name for each in pipelines)} to {filling.log.path}", err=True)
        with Upkeep(filling.log, clock=clock, **upkeep):
            ends = supervisor.run()
    for name, state in ends.items():
        typer.echo(f"{name}: {state}", err=True)
    return ends


def _kept_for(keep: str | None, keep_files: str) -> dict[str, Any]:
    return {
        "keep": _span(keep, "keep") if keep is not None else None,
        "keep_files": _span(keep_files, "keep-files"),
    }


def _span(text: str, name: str) -> float:
    try:
        return read_duration(text)
    except ValueError as exc:
        raise BadSetting(f"{name}: {exc}", setting=name) from exc
