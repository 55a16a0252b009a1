"""`penstock replay`: events of the event log back into queues.

`penstock outbox replay` does it from an application's own database, as long as that keeps them; this one
does it from the log, of all applications, by SQL, and goes on where it stopped.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Annotated

import typer

from penstock.cli.errors import explained
from penstock.cli.event_log import MASTER, LogOption, MasterOption
from penstock.cli.instants import INSTANT, maybe_instant
from penstock.cli.options import JsonOption  # noqa: TC001  Typer reads it
from penstock.cli.printing import print_done, print_json
from penstock.cli.progress import progress
from penstock.cli.reaching import broker_url, reached
from penstock.cli.tables import print_table
from penstock.errors import BadSetting

if TYPE_CHECKING:
    from penstock.pipelines.replay import Replay

__all__ = ["replay"]

SinceOption = Annotated[
    str | None,
    typer.Option("--from", "--since", metavar="TIME", help=f"Published from then on. {INSTANT}"),
]
UntilOption = Annotated[
    str | None, typer.Option("--to", "--until", metavar="TIME", help=f"Published before then. {INSTANT}")
]
WhereOption = Annotated[
    str | None,
    typer.Option(metavar="SQL", help="Only those for which this is true: \"routing_key LIKE 'eu.%'\"."),
]
DryOption = Annotated[bool, typer.Option("--dry-run", help="Publish nothing, and show how many there are.")]
AgainOption = Annotated[
    bool, typer.Option("--again", help="Begin anew, even with what this replay has published before.")
]
SkipOption = Annotated[
    bool, typer.Option("--skip-unroutable", help="Pass over what no queue takes any more.")
]
AllOption = Annotated[bool, typer.Option("--all", help="All, if nothing else says which.")]


def replay(
    log: LogOption,
    since: SinceOption = None,
    until: UntilOption = None,
    types: Annotated[
        list[str] | None, typer.Option("--type", metavar="NAME", help="Only of this type.")
    ] = None,
    where: WhereOption = None,
    consumer: Annotated[
        str | None,
        typer.Option("--to-consumer", metavar="QUEUE", help="Only this consumer's queue gets them."),
    ] = None,
    rate: Annotated[float | None, typer.Option(metavar="N", help="At most so many a second.")] = None,
    dry_run: DryOption = False,  # noqa: FBT002  an option that is not given
    again: AgainOption = False,  # noqa: FBT002  likewise
    skip_unroutable: SkipOption = False,  # noqa: FBT002  likewise
    everything: AllOption = False,  # noqa: FBT002  likewise
    url: Annotated[
        str | None, typer.Option("--url", metavar="URL", help="The broker; else MQ_URL says it.")
    ] = None,
    master: MasterOption = MASTER,
    as_json: JsonOption = False,  # noqa: FBT002  likewise
) -> None:
    """Publish events of the log again, each once, to everybody or to one consumer.

    A replay that was stopped goes on where it was when the same command is given again; one that has ended
    publishes only what the log got since. Messages keep their ids: a consumer with an inbox does nothing
    about those that it has handled. After a kill up to 500 may come twice. An event that was filed late, and
    is older than what this replay has published, is passed over: --again begins anew.
    """
    with explained():
        from penstock.pipelines.event_log.opening import opened_log  # noqa: PLC0415  other commands start sooner
        from penstock.pipelines.replay import Replay, Selection  # noqa: PLC0415

        selection = Selection(
            since=maybe_instant(since, "from"),
            until=maybe_instant(until, "to"),
            types=tuple(types or ()),
            where=where,
            queue=consumer,
        )
        if selection in (Selection(), Selection(queue=consumer)) and not everything:
            raise BadSetting("which ones? Say --from, --to, --type, --where; or --all", setting="all")
        # Who has said no broker, or a rate that cannot be, need not wait for Spark.
        broker = None if dry_run else broker_url(url)
        if rate is not None and not rate > 0:
            raise BadSetting(f"rate: more than 0 a second, not {rate}", setting="rate")
        with opened_log(log, master) as (spark, kept):
            chosen = Replay(spark, kept, selection)
            if again:
                chosen.forget()
            if broker is None:
                _show(chosen, as_json=as_json)
            else:
                asyncio.run(_run(chosen, broker, rate, skip_unroutable=skip_unroutable, as_json=as_json))


async def _run(chosen: Replay, url: str, rate: float | None, *, skip_unroutable: bool, as_json: bool) -> None:
    async with reached(url) as client:
        begun = chosen.progress
        if begun.published:
            typer.echo(f"{begun.published} were published before; going on from there", err=True)
        with progress("events", is_quiet=as_json) as tell:
            # Spark counts them in seconds where it sorts them in minutes; nobody who reads JSON waits for it.
            total = None if as_json else await asyncio.to_thread(chosen.left)
            done = await chosen.run(
                client,
                rate=rate,
                skip_unroutable=skip_unroutable,
                on_progress=lambda now: tell(now.done - begun.done, total),
            )
    told = f", {done.skipped} that no queue takes were passed over" if done.skipped else ""
    fields = {"published": done.published, "skipped": done.skipped}
    print_done(f"{done.published} published{told}", fields, as_json=as_json)


def _show(chosen: Replay, *, as_json: bool) -> None:
    """How many there are, and how many of them are done."""
    counts = list(chosen.counts())
    before = chosen.progress.published
    if as_json:
        rows = [{"day": day, "type": kind, "events": count} for day, kind, count in counts]
        print_json({"would_be_published": rows, "published_before": before})
        return
    print_table(("day", "type", "events"), counts)
    done = f", {before} of them published before" if before else ""
    typer.echo(f"{sum(count for _, _, count in counts)} would be published{done}")
