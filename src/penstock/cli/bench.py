"""`penstock bench`: how fast a broker is from here, in a few seconds."""

# Typer reads options from annotations: they are no strings here, as they are elsewhere.

import asyncio
from dataclasses import asdict
from typing import Annotated

import typer

from penstock.cli.errors import explained
from penstock.cli.measuring import Load, Measure, measured
from penstock.cli.options import JsonOption
from penstock.cli.printing import print_json
from penstock.cli.reaching import VARIABLE, reached
from penstock.cli.tables import print_table

__all__ = ["bench"]

UrlOption = Annotated[
    str, typer.Option("--url", metavar="URL", envvar=VARIABLE, help="The broker, Penstock or RabbitMQ.")
]
MessagesOption = Annotated[int, typer.Option("--messages", "-n", metavar="N", min=1, help="How many.")]
SizeOption = Annotated[int, typer.Option("--size", metavar="BYTES", min=0, help="Bytes of each body.")]
TransientOption = Annotated[bool, typer.Option("--transient", help="Nothing need survive a restart.")]
HERE = "amqp://guest:guest@localhost:5672/"


def bench(
    *,
    url: UrlOption = HERE,
    count: MessagesOption = 50_000,
    size: SizeOption = 100,
    transient: TransientOption = False,
    as_json: JsonOption = False,
) -> None:
    """Measure a broker: publishing with confirms, consuming with acks, and a message's way there and back.

    It has a queue of its own, which is gone afterwards. One client in one
    process: the client costs as much as the broker, so this is what an
    application would get, not all that the broker can do.
    """
    with explained():
        found = asyncio.run(_run(url, Load(count=count, size=size, is_persistent=not transient)))
        if as_json:
            print_json([asdict(each) for each in found])
        else:
            print_table(("measured", "value", "unit"), [(each.name, each.value, each.unit) for each in found])


async def _run(url: str, load: Load) -> list[Measure]:
    async with reached(url) as client:
        server = client.server
        typer.echo(f"{server.product} {'.'.join(map(str, server.version))}, {load}", err=True)
        return await measured(client, load)
