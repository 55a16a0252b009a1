"""`penstock spark`: whether Spark runs here, on which Java and how quickly, and what makes it quicker.

Spark is loaded when a command of these runs: the others start sooner.
"""

from __future__ import annotations

import tempfile
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from penstock.cli.errors import explained
from penstock.cli.options import JsonOption  # noqa: TC001  Typer reads it
from penstock.cli.printing import print_done
from penstock.clock import SystemClock

if TYPE_CHECKING:
    from collections.abc import Sequence

    from penstock.pipelines.archive import Archive

__all__ = ["spark"]

spark = typer.Typer(
    name="spark",
    help="See whether Spark runs here, on which Java and how quickly; make it start quicker.",
    no_args_is_help=True,
)

#: Bytes of a megabyte, as disks are sold.
MEGABYTE: Final = 1_000_000

MasterOption = Annotated[
    str, typer.Option("--master", metavar="URL", help="Where: local[*], spark://host:7077 and the like.")
]
RemoveOption = Annotated[bool, typer.Option("--remove", help="Remove it instead.")]


@spark.command()
def check(
    master: MasterOption = "local[*]",
    as_json: JsonOption = False,  # noqa: FBT002 (an option that is not given)
) -> None:
    """Start Spark, ask it something, and show what it runs on and how long it took."""
    from penstock.pipelines.session import archive_here, open_session  # noqa: PLC0415 (see above)

    with explained():
        archive = archive_here()
        typer.echo(f"Spark {version('pyspark')} ({archive.home})", err=as_json)
        typer.echo(f"{archive.java}", err=as_json)
        typer.echo(_described(archive), err=as_json)
        clock = SystemClock()
        begun = clock.now()
        with open_session("penstock spark check", master, brief=True, progress=True) as session:
            opened = clock.now() - begun
            session.range(1000).selectExpr("sum(id)").collect()
            answered = clock.now() - begun
            found: dict[str, object] = {
                "spark": version("pyspark"),
                "home": str(archive.home),
                "java": str(archive.java),
            }
            found |= {"archive": str(archive.path) if archive.is_made else None}
            spans = {"session_s": round(opened, 3), "answer_s": round(answered, 3)}
            line = f"Session after {opened:.1f} s, first answer after {answered:.1f} s"
            print_done(line, found | spans, as_json=as_json)


@spark.command()
def archive(
    remove: RemoveOption = False,  # noqa: FBT002 (an option that is not given)
    as_json: JsonOption = False,  # noqa: FBT002 (an option that is not given)
) -> None:
    """Make the class-data archive, which halves the time that Spark takes to start.

    It takes a minute or two and 200 MB in the user's cache. Another Java or
    another Spark needs another one: make it again after an upgrade.
    """
    from penstock.pipelines.session import archive_here  # noqa: PLC0415 (see above)
    from penstock.pipelines.telling import told  # noqa: PLC0415

    with explained():
        found = archive_here()
        if remove:
            is_removed = found.remove()
            line = "Removed." if is_removed else "There was none."
            print_done(line, {"removed": is_removed}, as_json=as_json)
            return
        with told("Making the archive takes a minute or two", shown=not as_json):
            found.make(_trained)
        size = found.path.stat().st_size
        print_done(_described(found), {"archive": str(found.path), "bytes": size}, as_json=as_json)


def _trained(options: Sequence[str]) -> None:
    """Run what a Java learns from, on one that is told these options."""
    from penstock.pipelines.session import open_session  # noqa: PLC0415 (see above)

    settings = {"spark.driver.extraJavaOptions": " ".join(options)}
    with (
        tempfile.TemporaryDirectory() as folder,
        open_session("penstock spark archive", settings=settings, progress=False) as session,
    ):
        from penstock.pipelines.training import train  # noqa: PLC0415

        train(session, Path(folder))


def _described(archive: Archive) -> str:
    if not archive.is_made:
        return "No class-data archive: 'penstock spark archive' makes one, and starts take half the time"
    return f"Class-data archive of {archive.path.stat().st_size / MEGABYTE:.0f} MB ({archive.path})"
