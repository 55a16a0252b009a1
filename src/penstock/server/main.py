"""`serve`: the composition root of a broker process: store, broker, fronts, signals, and a ready line."""

from __future__ import annotations

import asyncio
import gc
import logging
import signal
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

import uvloop

from penstock.broker import Alarms, Broker, Gauges, recover, total_memory
from penstock.clock import SystemClock
from penstock.server.access import Access
from penstock.server.amqp.bodies import LargeBodies
from penstock.server.amqp.form import AmqpForm, LargeAmqpForm
from penstock.server.amqp.front import AmqpFront
from penstock.server.tls import server_context
from penstock.store import ContentFiles, MemoryStore, SqliteStore
from penstock.wiring import Defaults

if TYPE_CHECKING:
    from penstock.broker import Form
    from penstock.settings import Settings
    from penstock.store import Store

__all__ = ["serve"]

log = logging.getLogger(__name__)

#: Objects between collections: a broker makes few cycles and holds millions of references.
COLLECT_AFTER: Final = 100_000


def serve(settings: Settings) -> None:
    """Run a broker until it is told to stop."""
    gc.set_threshold(COLLECT_AFTER, 20, 100)
    uvloop.run(_serve(settings))


async def _serve(settings: Settings) -> None:
    with ExitStack() as opened:
        await _serve_from(_open_store(settings, opened), settings)


def _open_store(settings: Settings, opened: ExitStack) -> Store:
    """The store in the data folder; without one, memory, and a folder for large bodies while we run."""
    if settings.data is not None:
        return SqliteStore(settings.data)
    folder = opened.enter_context(TemporaryDirectory(prefix="penstock-", ignore_cleanup_errors=True))
    return MemoryStore(ContentFiles(Path(folder)))


async def _serve_from(store: Store, settings: Settings) -> None:
    for damage in store.damaged:
        log.error("%s", damage)
    bodies = LargeBodies(store.contents)
    defaults = Defaults.from_tables(settings.wiring)
    forms: list[Form] = [AmqpForm(), LargeAmqpForm(bodies)]
    broker = Broker(SystemClock(), store, defaults=defaults, window=settings.window, forms=forms)
    recover(broker, store)
    front = AmqpFront(broker, settings, Access.open(settings, broker, store), bodies)
    alarms = _alarms(settings, broker, front)
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, _stop, stop, number)
    urls = [await front.listen("amqp", address) for address in settings.amqp]
    if settings.amqps:
        tls = server_context(settings)
        urls += [await front.listen("amqps", address, tls) for address in settings.amqps]
    alarms.start()
    broker.turn()
    gc.freeze()
    print("penstock is ready:", *urls, flush=True)  # noqa: T201 (who started it waits for this line)
    await stop.wait()
    log.info("stopping")
    alarms.stop()
    await front.close()
    bodies.close()
    await broker.close()


def _alarms(settings: Settings, broker: Broker, front: AmqpFront) -> Alarms:
    """What keeps publishers from filling memory and disk."""
    alarms = Alarms(
        Gauges(settings.data),
        memory_limit=settings.memory_bytes(total_memory()),
        disk_free_limit=settings.disk_free_limit,
    )
    alarms.on_change = front.block
    broker.writer.on_trouble = alarms.trouble
    return alarms


def _stop(stop: asyncio.Event, number: int) -> None:
    """A signal came: stop in good order; the second time, at once, as if nobody had listened to it."""
    if stop.is_set():
        signal.signal(number, signal.SIG_DFL)
        signal.raise_signal(number)
    stop.set()
