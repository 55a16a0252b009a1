"""The database that a command is about: how it is named, opened, and its errors told."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Final, NamedTuple

import typer

from penstock.cli.errors import explained

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy.engine import Engine

    from penstock.outbox import Database, Outbox

__all__ = ["TABLE", "DatabaseOption", "Opened", "TableOption", "opened"]

#: The environment's word for the application's database.
VARIABLE: Final = "DATABASE_URL"

DatabaseOption = Annotated[
    str,
    typer.Option(
        "--database",
        metavar="URL",
        envvar=VARIABLE,
        help="The application's: postgresql://… or sqlite:///FILE.",
        show_default=False,
    ),
]
TableOption = Annotated[str, typer.Option("--outbox", metavar="NAME", help="The outbox's table.")]
TABLE: Final = "penstock_outbox"


class Opened(NamedTuple):
    """The database that a command is about."""

    database: Database
    outbox: Outbox
    engine: Engine


@contextmanager
def opened(url: str, table: str) -> Iterator[Opened]:
    """The database at a URL; whatever goes wrong in the block is told in one line."""
    from penstock.messaging.engine import translating  # noqa: PLC0415 (other commands start sooner)
    from penstock.outbox import Database, Outbox  # noqa: PLC0415
    from penstock.outbox.opening import open_engine  # noqa: PLC0415

    with explained():
        engine = open_engine(url)
        kept = Database(engine)
        try:
            with translating("the database"):
                yield Opened(kept, Outbox(table), engine)
        finally:
            kept.close()
            engine.dispose()
