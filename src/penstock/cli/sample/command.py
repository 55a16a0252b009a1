"""`penstock sample`: a small waterworks at work on a broker, for those who want to see something move."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final

import typer

from penstock.cli.errors import explained
from penstock.cli.logs import set_up_logs, set_up_spans
from penstock.cli.reaching import VARIABLE
from penstock.cli.supervising import READY

__all__ = ["sample"]

HERE: Final = "amqp://guest:guest@localhost:5672/"
DATA: Final = Path(".penstock", "sample")

UrlOption = Annotated[
    str, typer.Option("--url", metavar="URL", envvar=VARIABLE, help="The broker, Penstock or RabbitMQ.")
]
DataOption = Annotated[Path, typer.Option("--data", metavar="FOLDER", help="Where it keeps its database.")]
RateOption = Annotated[
    float,
    typer.Option("--rate", metavar="N", min=0, max=1000, help="Readings of gauges a second; 0 is none."),
]
DidOption = Annotated[
    str | None, typer.Option("--did", metavar="URL", help="A DID domain, for a DID for each valve.")
]


def sample(
    *, url: UrlOption = HERE, data: DataOption = DATA, rate: RateOption = 5.0, did: DidOption = None
) -> None:
    """Be a small waterworks on a broker until asked to stop (Ctrl-C, or the signal TERM).

    Gauges are read, and each reading is published by way of an outbox; consumers
    take it, some fail and try again, a few messages end among the dead letters.
    Jobs for valves and pumps are put; `penstock worker` does them, as in
    penstock worker penstock.cli.sample.jobs:routes --url URL

    With --rate 0 it is at rest: it takes what others send, and does nothing of itself.
    """
    with explained():
        # What it needs is a lot, and the other commands start sooner without it.
        from penstock.cli.sample.load import run_load  # noqa: PLC0415

        set_up_logs()
        set_up_spans("waterworks")
        registry = None
        if did is not None:
            from penstock.cli.sample.dids import Registry  # noqa: PLC0415

            registry = Registry(data.absolute() / "wallet", did)
        run_load(
            data.absolute(),
            url,
            rate=rate,
            registry=registry,
            tell_ready=lambda: print(
                f"{READY}: the waterworks is {'at work' if rate else 'at rest'}", flush=True
            ),
        )
