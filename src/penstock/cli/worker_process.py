"""One worker process: from its start to the signal that ends it."""

from __future__ import annotations

import asyncio
import os
import signal
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING

from penstock.cli.logs import set_up_logs, set_up_spans
from penstock.cli.supervising import READY, end_with_parent
from penstock.cli.worker_order import CHILD, load_routes

if TYPE_CHECKING:
    from penstock.cli.worker_order import Order

__all__ = ["run_worker"]


def run_worker(order: Order) -> None:
    """Do jobs until asked to stop.

    Raises:
        PenstockError: it cannot even begin.
    """
    import uvloop  # noqa: PLC0415 (other commands start sooner)

    set_up_logs()
    set_up_spans("penstock worker")
    if CHILD in os.environ:
        end_with_parent()
    uvloop.run(_work(order))


async def _work(order: Order) -> None:
    from penstock.messaging import MessagingSettings  # noqa: PLC0415 (as above)
    from penstock.messaging.alerts import AlertDesk  # noqa: PLC0415
    from penstock.messaging.opening import open_broker  # noqa: PLC0415
    from penstock.workers import Schedules, Worker  # noqa: PLC0415

    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, _stop, stop, number)
    routes = load_routes(order.routes)
    async with AsyncExitStack() as opened:
        schedules = None if order.schedules is None else Schedules(order.schedules)
        if schedules is not None:
            opened.callback(schedules.close)
        settings = MessagingSettings.from_environment(os.environ)
        broker = await open_broker(order.url, settings=settings)
        opened.push_async_callback(broker.close)
        desk = AlertDesk(clock=broker.clock)
        opened.push_async_callback(desk.close)
        worker = Worker(
            routes,
            queues=order.queues,
            broker=broker,
            concurrency=order.concurrency,
            prefetch=order.prefetch,
            processes=order.cpu_processes,
            time_limit=order.time_limit or None,
            schedules=schedules,
            stop_timeout=settings.mq_stop_timeout,
            alerts=desk,
        )
        await opened.enter_async_context(worker)
        print(f"{READY}: jobs of {', '.join(worker.queues)} from {broker.product}", flush=True)
        await stop.wait()
        print("stopping: jobs that have begun are done first", flush=True)


def _stop(stop: asyncio.Event, number: int) -> None:
    """A signal came: stop in good order; the second time, at once, as if nobody had listened to it."""
    if stop.is_set():
        signal.signal(number, signal.SIG_DFL)
        signal.raise_signal(number)
    stop.set()
