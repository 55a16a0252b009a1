"""Handlers as they are written, made into what a worker awaits: async or plain, with or without a context."""

from __future__ import annotations

import asyncio
import contextvars
import inspect
from typing import TYPE_CHECKING, Any

from penstock.errors import MessagingError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from concurrent.futures import Executor

    from penstock.messaging.port import Received
    from penstock.messaging.subscriptions.context import Context
    from penstock.messaging.subscriptions.worker import Worker

    Call = Callable[[Any, Received, Worker], Awaitable[Any]]
    MakeContext = Callable[[Received, Worker], Context]

__all__ = ["call_of", "is_async"]


def is_async(handler: Callable[..., Any]) -> bool:
    """Whether calling it gives something to await."""
    return inspect.iscoroutinefunction(handler) or inspect.iscoroutinefunction(type(handler).__call__)


def call_of(handler: Callable[..., Any], executor: Executor | None, context: MakeContext) -> Call:
    """The handler as a worker calls it. A plain function runs in a thread of the executor.

    Args:
        handler: As it was written.
        executor: Has the threads.
        context: Makes a context, for a handler that wants one.

    Raises:
        MessagingError: the handler takes neither one argument nor two.
    """
    if not is_async(handler):
        return _in_thread(handler, executor, context if takes_context(handler) else None)
    if takes_context(handler):
        return lambda event, received, worker: handler(event, context(received, worker))
    return lambda event, _received, _worker: handler(event)


def takes_context(handler: Callable[..., Any]) -> bool:
    """Whether it wants the context as well.

    Raises:
        MessagingError: it takes neither one argument nor two.
    """
    signature = inspect.signature(handler)
    for arguments in (2, 1):
        try:
            signature.bind(*range(arguments))
        except TypeError:
            continue
        return arguments == 2  # noqa: PLR2004  the event and the context
    raise MessagingError(f"{handler} cannot handle messages: it takes the event, and the context if it likes")


def _in_thread(handler: Callable[..., Any], executor: Executor | None, context: MakeContext | None) -> Call:
    async def handle(event: Any, received: Received, worker: Worker) -> Any:
        arguments = (event,) if context is None else (event, context(received, worker))
        run = contextvars.copy_context().run
        running = asyncio.get_running_loop().run_in_executor(executor, run, handler, *arguments)
        try:
            return await asyncio.shield(running)
        except asyncio.CancelledError:
            # A thread cannot be stopped; its worker takes nothing else until it is done.
            worker.leftover = running
            raise

    return handle
