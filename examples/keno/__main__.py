"""Run the whole game with one command: `python -m examples.keno`."""

from __future__ import annotations

import asyncio
from contextlib import ExitStack
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Final

import typer

from examples.keno.folder import Folder
from examples.keno.up import Up, Wishes
from penstock.cli.errors import explained

DATA: Final = Path(".keno")
#: Where the page is, unless it is said.
PORT: Final = 8200

DataOption = Annotated[Path, typer.Option("--data", metavar="FOLDER", help="Where everything is kept.")]
DatabaseOption = Annotated[
    str, typer.Option("--database", metavar="URL", help="postgresql://…, in place of a SQLite file there.")
]
UrlOption = Annotated[
    str, typer.Option("--mq-url", metavar="URL", help="A broker that runs, Penstock or RabbitMQ.")
]
PortOption = Annotated[int, typer.Option("--port", help="Where the page is; the next, if it is taken.")]
WorkersOption = Annotated[int, typer.Option("--workers", min=1, max=64, help="Worker processes.")]
GatewaysOption = Annotated[int, typer.Option("--gateways", min=1, max=64, help="WebSocket gateways.")]
PaceOption = Annotated[float, typer.Option("--pace", min=0.01, help="How many times faster the game goes.")]
StatisticsOption = Annotated[
    bool, typer.Option("--statistics/--no-statistics", help="Whether Spark counts what is built.")
]


def keno(
    *,
    data: DataOption = DATA,
    database: DatabaseOption = "",
    mq_url: UrlOption = "",
    port: PortOption = PORT,
    workers: WorkersOption = 2,
    gateways: GatewaysOption = 2,
    pace: PaceOption = 1.0,
    statistics: StatisticsOption = True,
) -> None:
    """Run the game until asked to stop (Ctrl-C, or the signal TERM).

    A broker, workers, gateways, the lobby with its page, and Spark for the
    statistics: each in a process of its own, started again if it dies. A second
    start with the same --data finds everything again.
    """
    folder = Folder(data)
    wishes = Wishes(
        database=database or folder.database,
        mq_url=mq_url,
        port=port,
        workers=workers,
        gateways=gateways,
        pace=pace,
        statistics=statistics and find_spec("pyspark") is not None,
    )
    with explained(), folder.held(), ExitStack() as opened:
        up = Up(folder, wishes)
        up.lay_out(opened)
        asyncio.run(up.run())


if __name__ == "__main__":
    typer.run(keno)
