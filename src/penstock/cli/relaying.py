"""What `penstock outbox relay` and `replay` do with a broker."""

from __future__ import annotations

import asyncio
import os
import signal
from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING

import typer

from penstock.cli.logs import set_up_spans
from penstock.cli.reaching import reached
from penstock.errors import NotConnected

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from penstock.cli.progress import Tell
    from penstock.messaging.amqp import AmqpBroker
    from penstock.outbox import Database, Outbox, RelaySettings, Selection

__all__ = ["relayed", "relayed_once", "replayed"]


async def relayed_once(kept: Database, book: Outbox, url: str, settings: RelaySettings) -> int:
    """Publish what waits now; how many that were."""
    from penstock.outbox import Relay  # noqa: PLC0415 (other commands start sooner)

    async with _broker(url) as broker:
        relay = Relay(book, kept.engine, broker, settings=settings)
        try:
            return await relay.drain()
        finally:
            await relay.stop()


async def relayed(kept: Database, book: Outbox, url: str, settings: RelaySettings) -> None:
    """Publish what waits until asked to stop."""
    from penstock.messaging.alerts import AlertDesk  # noqa: PLC0415 (other commands start sooner)
    from penstock.messaging.opening import open_broker  # noqa: PLC0415
    from penstock.messaging.settings import MessagingSettings  # noqa: PLC0415
    from penstock.outbox import Relay  # noqa: PLC0415

    set_up_spans("penstock outbox relay")
    # Unlike a command that somebody waits for, it outlives a broker that is away for long.
    patient = await open_broker(url, settings=MessagingSettings.from_environment(os.environ))
    desk = AlertDesk(clock=patient.clock)
    try:
        async with Relay(book, kept.engine, patient, settings=settings, alerts=desk):
            typer.echo(f"relaying {book.table.name} to {patient.product}")
            await _asked_to_stop()
    finally:
        await desk.close()
        await patient.close()


async def _asked_to_stop() -> None:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    await stop.wait()


async def replayed(
    kept: Database,
    book: Outbox,
    url: str,
    chosen: Selection,
    queue: str | None,
    rate: float | None,
    archives: list[Path],
    tell: Tell,
) -> int:
    """Publish once more what was chosen; how many that were."""
    from penstock.outbox import archived, count_kept, replay  # noqa: PLC0415 (other commands start sooner)
    from penstock.outbox import kept as kept_rows  # noqa: PLC0415

    rows = archived(archives, chosen) if archives else kept_rows(kept, book, chosen)
    # How many an archive has is known when it was read to its end.
    total = None if archives else await kept.run(count_kept, book, chosen)
    async with _broker(url) as broker:
        if queue is not None and await broker.depth(queue) is None:
            raise NotConnected(f"there is no queue {queue} to replay to")
        on_progress = partial(_tell, tell, total)
        return await replay(rows, broker, queue=queue, rate=rate, on_progress=on_progress)


def _tell(tell: Tell, total: int | None, done: int) -> None:
    tell(done, total)


@asynccontextmanager
async def _broker(url: str) -> AsyncIterator[AmqpBroker]:
    from penstock.messaging.amqp import AmqpBroker  # noqa: PLC0415 (other commands start sooner)

    async with reached(url) as client:
        yield AmqpBroker(client)
