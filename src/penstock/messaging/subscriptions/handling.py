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

    from penstock.messaging.subscriptions.context import Context
    from penstock.messaging.subscriptions.worker import Worker

    Call = Callable[[Any, Context, Worker], Awaitable[Any]]

__all__ = ["call_of", "is_async"]


def is_async(handler: Callable[..., Any]) -> bool:
    """Whether calling it gives something to await."""
    return inspect.iscoroutinefunction(handler) or inspect.iscoroutinefunction(type(handler).__call__)


def call_of(handler: Callable[..., Any], executor: Executor | None) -> Call:
    """The handler as a worker calls it. A plain function runs in a thread of the executor.

    Raises:
        MessagingError: the handler takes neither one argument nor two.
    """
    if not takes_context(handler):
        inner = handler
        handler = (lambda event, _context: inner(event)) if not is_async(inner) else _without_context(inner)
    if is_async(handler):
        return lambda event, context, _worker: handler(event, context)
    return _in_thread(handler, executor)


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


def _without_context(handler: Callable[..., Any]) -> Callable[..., Any]:
    async def handle(event: Any, _context: Context) -> Any:
        return await handler(event)

    return handle


def _in_thread(handler: Callable[..., Any], executor: Executor | None) -> Call:
    async def handle(event: Any, context: Context, worker: Worker) -> Any:
        run = contextvars.copy_context().run
        running = asyncio.get_running_loop().run_in_executor(executor, run, handler, event, context)
        try:
            return await asyncio.shield(running)
        except asyncio.CancelledError:
            # A thread cannot be stopped; its worker takes nothing else until it is done.
            worker.leftover = running
            raise

    return handle
