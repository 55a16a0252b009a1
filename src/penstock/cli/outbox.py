"""`penstock outbox`: publish what waits in an outbox, look at it, replay it, tidy it, guard its tables.

What needs a database is loaded when a command of these runs: the others start sooner.
"""

from __future__ import annotations

import asyncio
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from penstock.cli.database import TABLE, DatabaseOption, TableOption, opened
from penstock.cli.errors import FAILED
from penstock.cli.instants import INSTANT, maybe_instant
from penstock.cli.options import JsonOption, YesOption  # noqa: TC001  Typer reads it
from penstock.cli.printing import print_done, print_json
from penstock.cli.progress import progress
from penstock.cli.reaching import broker_url
from penstock.cli.relaying import relayed, relayed_once, replayed
from penstock.errors import BadSetting
from penstock.settings.quantities import read_duration

__all__ = ["outbox"]

outbox = typer.Typer(
    name="outbox",
    help="Publish what waits in an application's outbox, look at it, replay it and tidy it.",
    no_args_is_help=True,
)

UrlOption = Annotated[
    str | None, typer.Option("--url", metavar="URL", help="The broker; else MQ_URL says it.")
]
OnceOption = Annotated[bool, typer.Option("--once", help="Publish what waits now, and end.")]
ShareOption = Annotated[
    bool, typer.Option("--share", help="Share the messages with other relays, and let batches overtake.")
]
AllOption = Annotated[bool, typer.Option("--all", help="All, if nothing else says which.")]
ArchivesOption = Annotated[
    list[Path] | None, typer.Option("--archive", metavar="FILE", help="From this file, not the table.")
]
ArchiveOption = Annotated[
    Path | None,
    typer.Option("--archive", metavar="FOLDER", help="Write it here first, so that it can be replayed."),
]


@outbox.command()
def status(
    database: DatabaseOption,
    table: TableOption = TABLE,
    as_json: JsonOption = False,  # noqa: FBT002 (an option that is not given)
) -> None:
    """Show how much waits and for how long, and what fails. Exits with 1 if anything does."""
    from penstock.outbox import status_of  # noqa: PLC0415 (see above)

    with opened(database, table) as (_, book, engine):
        with engine.connect() as connection:
            found = status_of(connection, book)
        if as_json:
            print_json(asdict(found))
        else:
            typer.echo(f"{found.waiting} waiting, the oldest for {found.lag:.1f} s")
            typer.echo(f"{found.set_aside} set aside, {found.relayed} relayed and kept")
            for each in found.failing:
                aside = ", set aside" if each.is_set_aside else ""
                typer.echo(f"{each.id}  {each.type}  {each.attempts} attempts{aside}: {each.error}")
        if found.failing:
            raise typer.Exit(FAILED)


@outbox.command()
def relay(
    database: DatabaseOption,
    table: TableOption = TABLE,
    url: UrlOption = None,
    once: OnceOption = False,  # noqa: FBT002 (an option that is not given)
    batch: Annotated[int, typer.Option("--batch", metavar="N", min=1, help="Messages in one batch.")] = 2000,
    poll: Annotated[
        float, typer.Option("--poll", metavar="SECONDS", help="Seconds between two looks into the table.")
    ] = 1.0,
    alert_at: Annotated[
        int, typer.Option("--alert-at", metavar="N", min=1, help="Failed tries that are a critical alert.")
    ] = 5,
    share: ShareOption = False,  # noqa: FBT002 (an option that is not given)
    set_aside_after: Annotated[
        int | None,
        typer.Option(
            "--set-aside-after",
            metavar="N",
            min=1,
            help="Failed tries after which a refused message no longer holds up the others.",
        ),
    ] = None,
    as_json: JsonOption = False,  # noqa: FBT002 (an option that is not given)
) -> None:
    """Publish what waits, until asked to stop (Ctrl-C, or the signal TERM)."""
    from penstock.outbox import RelaySettings  # noqa: PLC0415 (see above)

    with opened(database, table) as (kept, book, _):
        settings = RelaySettings(
            batch=batch,
            poll_interval=poll,
            alert_at=alert_at,
            in_order=not share,
            set_aside_after=set_aside_after,
        )
        if not once:
            asyncio.run(relayed(kept, book, broker_url(url), settings))
            return
        done = asyncio.run(relayed_once(kept, book, broker_url(url), settings))
        print_done(f"{done} published", {"published": done}, as_json=as_json)


@outbox.command()
def replay(
    database: DatabaseOption,
    table: TableOption = TABLE,
    url: UrlOption = None,
    since: Annotated[
        str | None, typer.Option("--from", "--since", metavar="TIME", help=f"Added from then on. {INSTANT}")
    ] = None,
    until: Annotated[
        str | None, typer.Option("--to", "--until", metavar="TIME", help=f"Added before then. {INSTANT}")
    ] = None,
    types: Annotated[
        list[str] | None, typer.Option("--type", metavar="NAME", help="Only of this type.")
    ] = None,
    ids: Annotated[list[str] | None, typer.Option("--id", metavar="ID", help="Only this message.")] = None,
    after: Annotated[
        int, typer.Option(metavar="N", help="Where a replay that stopped is taken up again.")
    ] = 0,
    queue: Annotated[
        str | None, typer.Option(metavar="NAME", help="Only this consumer's queue gets them.")
    ] = None,
    rate: Annotated[float | None, typer.Option(metavar="N", help="At most so many a second.")] = None,
    archives: ArchivesOption = None,
    everything: AllOption = False,  # noqa: FBT002 (an option that is not given)
    as_json: JsonOption = False,  # noqa: FBT002 (an option that is not given)
) -> None:
    """Publish again what was relayed before, to everybody or to one consumer.

    Messages keep their ids: a consumer with an inbox does nothing about those
    that it has handled.
    """
    from penstock.outbox import Selection  # noqa: PLC0415 (see above)

    with opened(database, table) as (kept, book, _):
        chosen = Selection(
            since=maybe_instant(since, "from"),
            until=maybe_instant(until, "to"),
            types=tuple(types or ()),
            ids=tuple(ids or ()),
            after=after,
        )
        if chosen == Selection() and not everything:
            raise BadSetting("which ones? Say --from, --to, --type, --id, --after; or --all", setting="all")
        with progress("messages", is_quiet=as_json) as tell:
            done = asyncio.run(
                replayed(kept, book, broker_url(url), chosen, queue, rate, archives or [], tell)
            )
        print_done(f"{done} published again", {"published": done}, as_json=as_json)


@outbox.command()
def retry(
    database: DatabaseOption,
    ids: Annotated[list[str] | None, typer.Argument(metavar="ID", help="The messages' ids.")] = None,
    table: TableOption = TABLE,
    as_json: JsonOption = False,  # noqa: FBT002 (an option that is not given)
) -> None:
    """Let messages that were set aside wait for the relay again; all of them if none is named."""
    from penstock.outbox import put_back  # noqa: PLC0415 (see above)

    with opened(database, table) as (_, book, engine), engine.begin() as connection:
        count = put_back(connection, book, ids or ())
        print_done(f"{count} put back", {"put_back": count}, as_json=as_json)


@outbox.command()
def prune(
    database: DatabaseOption,
    keep: Annotated[
        str, typer.Option(metavar="TIME", help="What was relayed longer ago goes, such as 30d.")
    ] = "30d",
    archive: ArchiveOption = None,
    table: TableOption = TABLE,
    as_json: JsonOption = False,  # noqa: FBT002 (an option that is not given)
) -> None:
    """Delete what was relayed long ago. What waits, or was set aside, stays."""
    from penstock.outbox import prune as prune_rows  # noqa: PLC0415 (see above)

    with opened(database, table) as (kept, book, _):
        try:
            seconds = read_duration(keep)
        except ValueError as exc:
            raise BadSetting(f"keep: {exc}", setting="keep") from exc
        done = asyncio.run(prune_rows(kept, book, keep=seconds, archive=archive))
        print_done(f"{done} deleted", {"deleted": done}, as_json=as_json)


@outbox.command()
def guard(
    database: DatabaseOption,
    tables: Annotated[list[str], typer.Argument(metavar="TABLE", help="Tables that others are told of.")],
    role: Annotated[str, typer.Option("--role", metavar="NAME", help="The application's own role.")],
    yes: YesOption = False,  # noqa: FBT002 (an option that is not given)
    as_json: JsonOption = False,  # noqa: FBT002 (an option that is not given)
) -> None:
    """Let only the application's role write its shared tables (PostgreSQL). Shows what it would do first.

    Exits with 1 if other roles can write them still.
    """
    from penstock.outbox.guard import apply, other_writers, plan  # noqa: PLC0415 (see above)

    with opened(database, TABLE) as (_, _, engine), engine.begin() as connection:
        statements = plan(connection, role, tables)
        for statement in statements:
            typer.echo(f"{statement};", err=as_json)
        if not yes:
            typer.confirm("Do it?", abort=True, err=as_json)
        apply(connection, statements)
        left = other_writers(connection, role, tables)
        if as_json:
            done = [str(statement) for statement in statements]
            print_json({"done": done, "left": [str(writer) for writer in left]})
        else:
            for writer in left:
                typer.echo(f"still: {writer}")
    if any(not writer.is_superuser for writer in left):
        raise typer.Exit(FAILED)
