"""`penstock schedules`: jobs that wait for their time under a key, and crons: see, stop or hurry them."""

from __future__ import annotations

from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from penstock.cli.errors import FAILED, explained
from penstock.cli.options import JsonOption  # noqa: TC001  Typer reads it
from penstock.cli.printing import print_done, print_rows
from penstock.clock import SystemClock
from penstock.errors import BadSetting

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.workers import Schedules
    from penstock.workers.schedules.scheduled import Waiting

__all__ = ["schedules"]

schedules = typer.Typer(
    name="schedules",
    help="Look at jobs that wait for their time; cancel or hurry them.",
    no_args_is_help=True,
)

#: The environment's word for the database, as workers read it.
VARIABLE: Final = "PENSTOCK_SCHEDULES"

DatabaseOption = Annotated[
    str,
    typer.Option(
        "--schedules",
        metavar="URL",
        envvar=VARIABLE,
        help="The database that the workers are told of: sqlite:///FILE or postgresql://…",
        show_default=False,
    ),
]
KeyArgument = Annotated[str, typer.Argument(metavar="KEY", help="The job's key.", show_default=False)]
LimitOption = Annotated[int, typer.Option("--limit", metavar="N", min=1, help="At most so many.")]


@schedules.command(name="list")
def list_(database: DatabaseOption, *, limit: LimitOption = 100, as_json: JsonOption = False) -> None:
    """List what waits, the next first: jobs with a key, and crons."""
    with _opened(database) as kept:
        now = SystemClock().now()
        rows = [_row(each, now) for each in kept.waiting(now, limit)]
        print_rows(rows, ("kind", "key", "due", "in", "queue", "says"), as_json=as_json)


@schedules.command()
def cancel(database: DatabaseOption, key: KeyArgument, *, as_json: JsonOption = False) -> None:
    """Have a job not be done. Exits with 1 if none waits under that key, or it is leaving already."""
    with _opened(database) as kept:
        _tell("cancelled", key, is_done=kept.cancel(key, SystemClock().now()), as_json=as_json)


@schedules.command()
def run(database: DatabaseOption, key: KeyArgument, *, as_json: JsonOption = False) -> None:
    """Have a job be done now, by the next worker that looks. Exits with 1 as cancel does."""
    with _opened(database) as kept:
        now = SystemClock().now()
        _tell("due now", key, is_done=kept.move(key, now, now), as_json=as_json)


@contextmanager
def _opened(database: str) -> Iterator[Schedules]:
    # The database's library is a large one: other commands start sooner.
    from penstock.workers import Schedules  # noqa: PLC0415

    with explained():
        if not database:
            raise BadSetting(
                f"which database? Name it with --schedules sqlite:///FILE, or in {VARIABLE}",
                setting="schedules",
            )
        kept = Schedules(database)
        try:
            kept.create()
            yield kept
        finally:
            kept.close()


def _row(waiting: Waiting, now: float) -> dict[str, Any]:
    return {
        "kind": waiting.kind,
        "key": waiting.key,
        "due": datetime.fromtimestamp(waiting.due_at, UTC).isoformat(timespec="seconds"),
        "in": "leaving" if waiting.is_leaving else f"{max(waiting.due_at - now, 0):.0f} s",
        "queue": waiting.queue,
        "job": waiting.job,
        "says": waiting.cron if waiting.body is None else waiting.body.decode(errors="replace"),
    }


def _tell(done: str, key: str, *, is_done: bool, as_json: bool) -> None:
    line = f"{key} is {done}" if is_done else f"no job waits under the key {key}, or it is leaving already"
    print_done(line, {"key": key, "done": is_done}, as_json=as_json)
    if not is_done:
        raise typer.Exit(FAILED)
