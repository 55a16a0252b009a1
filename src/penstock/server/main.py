"""`serve`: the main of a broker process: an embedded broker, listeners, signals, and a ready line."""

from __future__ import annotations

import asyncio
import ctypes
import gc
import logging
import resource
import signal
from typing import TYPE_CHECKING, Final, Protocol

import uvloop

from penstock.server.embedded import Embedded

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from penstock.settings import Settings

__all__ = ["Beside", "serve"]

log = logging.getLogger(__name__)

#: Objects between collections: a broker makes few cycles and holds millions of references.
COLLECT_AFTER: Final = 100_000
#: glibc's own names and numbers (mallopt(3)), and what we have them be: bytes that are kept for the next
#: messages rather than given back to the machine, and a size from which a block is mapped by itself. As glibc
#: has them, bodies of 16 KiB that pass cost it three times our own work, for pages that come and go.
M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3
KEPT: Final = 32 * 1024 * 1024
MAPPED_FROM: Final = 16 * 1024 * 1024


class Beside(Protocol):
    """Something that is served in the broker's process beside it, and ends before it."""

    @property
    def urls(self) -> list[str]:
        """Where it is to be found."""
        ...

    async def close(self) -> None:
        """End it."""
        ...


def serve(settings: Settings, beside: Callable[[Embedded], Awaitable[Beside]] | None = None) -> None:
    """Run a broker until it is told to stop.

    Args:
        beside: opens something that lives with it, as the panel does, which this layer does not know.
    """
    gc.set_threshold(COLLECT_AFTER, 20, 100)
    _take_all_files()
    _keep_memory()
    uvloop.run(_serve(settings, beside))


def _take_all_files() -> None:
    """Have as many files open as the machine lets us: a connection is one, and the usual 1,024 are few."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def _keep_memory() -> None:
    """Tell the C library to keep what messages leave behind; one that is not glibc knows better."""
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(M_TRIM_THRESHOLD, KEPT)
        mallopt(M_MMAP_THRESHOLD, MAPPED_FROM)


async def _serve(settings: Settings, beside: Callable[[Embedded], Awaitable[Beside]] | None) -> None:
    embedded = await Embedded.start(settings)
    neighbour: Beside | None = None
    try:
        stop = asyncio.Event()
        for number in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(number, _stop, stop, number)
        # As beanstalkd does.
        asyncio.get_running_loop().add_signal_handler(signal.SIGUSR1, embedded.drain)
        urls = await embedded.listen()
        if beside is not None:
            neighbour = await beside(embedded)
            urls += neighbour.urls
        gc.freeze()
        print("penstock is ready:", *urls, flush=True)  # noqa: T201 (who started it waits for this line)
        await stop.wait()
        log.info("stopping")
    finally:
        if neighbour is not None:
            await neighbour.close()
        await embedded.close()


def _stop(stop: asyncio.Event, number: int) -> None:
    """A signal came: stop in good order; the second time, at once, as if nobody had listened to it."""
    if stop.is_set():
        signal.signal(number, signal.SIG_DFL)
        signal.raise_signal(number)
    stop.set()
