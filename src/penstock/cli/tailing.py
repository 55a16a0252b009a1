"""Following what is published: a queue of our own, bound beside the others; messages shown as they come."""

from __future__ import annotations

import asyncio
import json
import signal
from base64 import b64encode
from typing import TYPE_CHECKING, Any, Final

import typer

from penstock.cli.message_lines import as_lines
from penstock.cli.reaching import reached
from penstock.client import Binding, Queue

if TYPE_CHECKING:
    from collections.abc import Sequence

    from penstock.client import Delivery

    #: An exchange, a key and arguments.
    Bound = tuple[str, str, dict[str, Any]]

__all__ = ["run_tail", "shown_fields"]

#: Messages that wait to be shown at most; a terminal that is slower sees gaps, and the broker no backlog.
LONGEST: Final = 10_000
SHOWN_BYTES: Final = 1000


def run_tail(url: str, bound: Sequence[Bound], *, limit: int | None, as_json: bool) -> None:
    """Show what comes until a signal does, or so many have come."""
    asyncio.run(_tail(url, bound, limit, as_json=as_json))


async def _tail(url: str, bound: Sequence[Bound], limit: int | None, *, as_json: bool) -> None:
    came: asyncio.Queue[Delivery] = asyncio.Queue()

    def receive(deliveries: list[Delivery]) -> None:
        for each in deliveries:
            came.put_nowait(each)

    async with reached(url) as client:
        queue = Queue(exclusive=True, durable=False, auto_delete=True, arguments={"x-max-length": LONGEST})
        await client.declare(queue)
        await client.declare(*(Binding(source, queue, key, arguments) for source, key, arguments in bound))
        await client.consume(queue, receive, prefetch=LONGEST // 10)
        typer.echo("following; Ctrl-C ends it", err=True)
        showing = asyncio.create_task(_show(came, limit, as_json=as_json))
        for number in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(number, showing.cancel)
        await asyncio.wait({showing})
        while not came.empty():
            came.get_nowait().ack()


async def _show(came: asyncio.Queue[Delivery], limit: int | None, *, as_json: bool) -> None:
    shown = 0
    while limit is None or shown < limit:
        delivery = await came.get()
        fields = shown_fields(delivery)
        if as_json:
            typer.echo(json.dumps(fields, ensure_ascii=False, default=str))
        else:
            for line in as_lines(fields, SHOWN_BYTES):
                typer.echo(line)
        delivery.ack()
        shown += 1


def shown_fields(delivery: Delivery) -> dict[str, Any]:
    """A message that came, in the management API's form."""
    body = delivery.body
    try:
        payload, encoding = body.decode(), "string"
    except UnicodeDecodeError:
        payload, encoding = b64encode(body).decode(), "base64"
    return {
        "exchange": delivery.exchange,
        "routing_key": delivery.routing_key,
        "payload": payload,
        "payload_bytes": len(body),
        "payload_encoding": encoding,
        "properties": delivery.properties.as_dict(),
    }
