"""`penstock reconcile`: after a migration, tell consumers what it changed in shared tables.

What needs a database is loaded when the command runs: the others start sooner.
"""

from __future__ import annotations

import asyncio
import importlib
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from penstock.cli.database import TABLE, DatabaseOption, TableOption, opened
from penstock.cli.options import JsonOption  # noqa: TC001  Typer reads it
from penstock.cli.printing import print_json
from penstock.cli.progress import progress
from penstock.cli.reconciling import reconciled
from penstock.errors import BadSetting

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy.engine import Engine

    from penstock.outbox import Change, Outbox, Reconciler

__all__ = ["reconcile"]

DryOption = Annotated[bool, typer.Option("--dry-run", help="Tell nobody, only show.")]
AssumeOption = Annotated[
    bool, typer.Option("--assume-told", help="Take what is there for told: at the very first run.")
]
VerboseOption = Annotated[bool, typer.Option("--verbose", help="Show every row.")]
CopyOption = Annotated[
    list[str] | None,
    typer.Option(
        "--copy",
        metavar="URL",
        help="A database with copies of the tables: Spark compares with these, and not with what consumers"
        " were told. May be given several times.",
    ),
]
SparkOption = Annotated[
    str, typer.Option("--spark", metavar="MASTER", help="Where Spark runs: local[*] or spark://HOST:PORT.")
]
RunOption = Annotated[
    str | None,
    typer.Option(
        "--run",
        metavar="NAME",
        help="The release, say. With --copy, a difference has the same message id in runs of one name.",
    ),
]


def reconcile(
    database: DatabaseOption,
    tables: Annotated[
        list[str] | None, typer.Argument(metavar="TABLE", help="Tables that others have copies of.")
    ] = None,
    exchange: Annotated[
        str, typer.Option(metavar="NAME", help="Where <table>.created, .updated and .deleted go.")
    ] = "",
    described_by: Annotated[
        str | None,
        typer.Option(
            "--described-by",
            metavar="MODULE:NAME",
            help="A penstock.outbox.Reconciler of the application's, with events of its own.",
        ),
    ] = None,
    copies: CopyOption = None,
    spark: SparkOption = "local[*]",
    run: RunOption = None,
    outbox: TableOption = TABLE,
    is_dry: DryOption = False,  # noqa: FBT002 (an option that is not given)
    assume_told: AssumeOption = False,  # noqa: FBT002 (an option that is not given)
    verbose: VerboseOption = False,  # noqa: FBT002 (an option that is not given)
    as_json: JsonOption = False,  # noqa: FBT002 (an option that is not given)
) -> None:
    """Compare shared tables with what consumers were told, or have, and tell them the difference.

    The messages go into the outbox; its relay publishes them.
    """
    on_change = partial(_show, err=as_json) if verbose else _pass
    with opened(database, outbox) as (kept, book, engine):
        reconciler = _loaded(described_by) if described_by else _made(engine, book, tables or (), exchange)
        if copies:
            if assume_told:
                raise BadSetting("--assume-told is for reconciling without --copy", setting="assume-told")
            how = {
                "is_dry": is_dry,
                "is_verbose": verbose,
                "is_quiet": as_json or verbose,
                "err": as_json,
            }
            counts = reconciled(reconciler, engine, copies, spark, run, on_change=on_change, **how)
        else:
            reconciler.told.metadata.create_all(engine)
            # Who sees every change sees how far it is.
            with progress("rows", is_quiet=as_json or verbose) as tell:
                running = reconciler.run(
                    kept, is_dry=is_dry, assume_told=assume_told, on_change=on_change, on_progress=tell
                )
                counts = asyncio.run(running)
        done = "would be told" if is_dry else "taken for told" if assume_told else "told"
        if as_json:
            rows = [{"table": table, "kind": kind, "count": n} for (table, kind), n in sorted(counts.items())]
            print_json({"done": done, "changes": rows, "total": counts.total()})
            return
        for (table, kind), count in sorted(counts.items()):
            typer.echo(f"{table}: {count} {kind}")
        typer.echo(f"{counts.total()} {done}")


def _show(change: Change, *, err: bool) -> None:
    key = ", ".join(f"{name}={value}" for name, value in change.key.items())
    typer.echo(f"{change.table} {change.kind}: {key}", err=err)


def _pass(_change: Change) -> None:
    """Nothing is shown."""


def _made(engine: Engine, outbox: Outbox, tables: Sequence[str], exchange: str) -> Reconciler:
    """A reconciler of tables as the database has them, with plain messages."""
    from sqlalchemy import MetaData, Table  # noqa: PLC0415 (see above)
    from sqlalchemy.exc import NoSuchTableError  # noqa: PLC0415

    from penstock.outbox import Reconciler, SharedTable, Told  # noqa: PLC0415

    if not tables:
        raise BadSetting("which tables? Name them, or --described-by MODULE:NAME", setting="tables")
    metadata, shared = MetaData(), []
    for name in tables:
        try:
            table = Table(name, metadata, autoload_with=engine)
        except NoSuchTableError as exc:
            raise BadSetting(f"there is no table {name}", setting="tables") from exc
        shared.append(SharedTable(table, exchange=exchange))
    return Reconciler(Told(outbox), shared)


def _loaded(text: str) -> Reconciler:
    """The application's own."""
    from penstock.outbox import Reconciler  # noqa: PLC0415 (see above)

    module_name, _, name = text.partition(":")
    if (here := str(Path.cwd())) not in sys.path:
        sys.path.insert(0, here)
    try:
        found = getattr(importlib.import_module(module_name), name)
    except (ImportError, AttributeError, ValueError) as exc:
        raise BadSetting(f"--described-by {text}: {exc}", setting="described-by") from exc
    if not isinstance(found, Reconciler):
        raise BadSetting(f"--described-by {text} is no Reconciler", setting="described-by")
    return found
