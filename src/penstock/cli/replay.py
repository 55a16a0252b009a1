"""`penstock replay`: events of the event log back into queues.

`penstock outbox replay` does it from an application's own database, as long as that keeps them; this one
does it from the log, of all applications, by SQL, and goes on where it stopped.
"""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated

import typer

from penstock.cli.errors import explained
from penstock.cli.event_log import MASTER, LogOption, MasterOption
from penstock.cli.reaching import broker_url, reached
from penstock.cli.tables import print_table
from penstock.errors import BadSetting

if TYPE_CHECKING:
    from penstock.pipelines.replay import Replay

__all__ = ["INSTANT", "instant", "replay"]

INSTANT = "An instant like 2026-01-31T12:00 (UTC, unless it says otherwise)."

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
    since: Annotated[
        str | None, typer.Option("--from", metavar="TIME", help=f"Published from then on. {INSTANT}")
    ] = None,
    until: Annotated[
        str | None, typer.Option("--to", metavar="TIME", help=f"Published before then. {INSTANT}")
    ] = None,
    types: Annotated[
        list[str] | None, typer.Option("--type", metavar="NAME", help="Only of this type.")
    ] = None,
    where: Annotated[
        str | None,
        typer.Option(metavar="SQL", help="Only those for which this is true: \"routing_key LIKE 'eu.%'\"."),
    ] = None,
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
) -> None:
    """Publish events of the log again, each once, to everybody or to one consumer.

    A replay that was stopped goes on where it was when the same command is given again; one that has ended
    publishes only what the log got since. Messages keep their ids: a consumer with an inbox does nothing
    about those that it has handled.
    """
    with explained():
        from penstock.pipelines.event_log.opening import opened_log  # noqa: PLC0415  other commands start sooner
        from penstock.pipelines.replay import Replay, Selection  # noqa: PLC0415

        selection = Selection(
            since=instant(since, "from"),
            until=instant(until, "to"),
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
                _show(chosen)
            else:
                asyncio.run(_run(chosen, broker, rate, skip_unroutable=skip_unroutable))


async def _run(chosen: Replay, url: str, rate: float | None, *, skip_unroutable: bool) -> None:
    async with reached(url) as client:
        if before := chosen.progress.published:
            typer.echo(f"{before} were published before; going on from there", err=True)
        done = await chosen.run(client, rate=rate, skip_unroutable=skip_unroutable)
    told = f", {done.skipped} that no queue takes were passed over" if done.skipped else ""
    typer.echo(f"{done.published} published{told}")


def _show(chosen: Replay) -> None:
    """How many there are, and how many of them are done."""
    counts = chosen.counts()
    print_table(("day", "type", "events"), counts)
    before = chosen.progress.published
    done = f", {before} of them published before" if before else ""
    typer.echo(f"{sum(count for _, _, count in counts)} would be published{done}")


def instant(text: str | None, name: str) -> float | None:
    """An instant as people write it, in seconds since the epoch.

    Raises:
        BadSetting: it is none.
    """
    if text is None:
        return None
    try:
        read = datetime.fromisoformat(text)
    except ValueError as exc:
        raise BadSetting(f"{name}: {text!r} is no instant like 2026-01-31T12:00", setting=name) from exc
    return (read if read.tzinfo else read.replace(tzinfo=UTC)).timestamp()
