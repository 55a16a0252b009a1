"""An event loop in a thread of its own, for code that waits: Spark's workers and planners do not await."""

from __future__ import annotations

import asyncio
import threading
from typing import TYPE_CHECKING, Any, TypeVar

import uvloop

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from concurrent.futures import Future

__all__ = ["LoopThread"]

T = TypeVar("T")


class LoopThread:
    """Runs from when it is made until `end`."""

    def __init__(self, name: str) -> None:
        self._loop = uvloop.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name=name, daemon=True)
        self._thread.start()

    def __repr__(self) -> str:
        return f"<LoopThread {self._thread.name}>"

    def begin(self, doing: Coroutine[Any, Any, T]) -> Future[T]:
        """Have it done; the future tells when."""
        return asyncio.run_coroutine_threadsafe(doing, self._loop)

    def wait(self, doing: Coroutine[Any, Any, T]) -> T:
        """Have it done, and wait until it is."""
        return self.begin(doing).result()

    def call(self, function: Callable[..., object], *arguments: Any) -> None:
        """Have a function called there, soon."""
        self._loop.call_soon_threadsafe(function, *arguments)

    def end(self) -> None:
        """Stop; what is under way is left as it is. A second time nothing happens."""
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
            self._loop.close()
