"""Idempotent handlers: a transaction around each, and what keeps it from being applied twice.

Two ways, alone or together. An inbox remembers messages by their ids. Or the handler's own check says that
the end state is reached already (the thread is stored on the chain: nothing to do), which also covers what
an inbox cannot see, such as a message that another service sends a second time with a new id.
"""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any, TypeVar

from sqlalchemy.ext.asyncio import AsyncEngine, async_sessionmaker

from penstock.errors import OutboxError

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy.engine import Engine
    from sqlalchemy.orm import sessionmaker

    from penstock.messaging.subscriptions.context import Context
    from penstock.outbox.inbox import Inbox

    #: Whatever begins a transaction and ends it.
    Begins = Engine | AsyncEngine | sessionmaker[Any] | async_sessionmaker[Any]

__all__ = ["idempotent"]

Handler = TypeVar("Handler", bound="Callable[..., Any]")


def idempotent(
    transactions: Begins, *, inbox: Inbox | None = None, is_done: Callable[..., Any] | None = None
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Make a handler of event, context and session into one of event and context, applied once.

    The session (or connection) is in a transaction, which is committed when the handler returns and rolled
    back when it raises: the inbox's row, the handler's changes, and what it adds to an outbox with it.

    Args:
        transactions: A session factory or an engine. With an asynchronous one the handler is `async def`,
            with a synchronous one it is plain `def`, and runs in a thread.
        inbox: Remembers messages by their ids.
        is_done: Called with the event and the session before the handler; true if nothing is left to do.

    Raises:
        OutboxError: neither an inbox nor a check is given, or the handler is of the other kind.
    """
    if inbox is None and is_done is None:
        raise OutboxError("a handler is idempotent by an inbox, by a check of its own, or by both")
    is_async = isinstance(transactions, AsyncEngine | async_sessionmaker)
    wrap = _asynchronous if is_async else _synchronous

    def decorate(handler: Callable[..., Any]) -> Callable[..., Any]:
        if inspect.iscoroutinefunction(handler) != is_async:
            raise OutboxError(
                f"{handler.__qualname__} must be {'async' if is_async else 'plain'} def,"
                f" as its transactions are {'asynchronous' if is_async else 'synchronous'}"
            )
        handle = wrap(handler, transactions, inbox, is_done)
        # Not functools.wraps: whoever asks for the signature must see two arguments, not the handler's three.
        for name in ("__module__", "__name__", "__qualname__", "__doc__"):
            setattr(handle, name, getattr(handler, name))
        return handle

    return decorate


def _asynchronous(
    handler: Callable[..., Any], transactions: Any, inbox: Inbox | None, is_done: Callable[..., Any] | None
) -> Callable[..., Any]:
    async def handle(event: Any, context: Context) -> Any:
        async with transactions.begin() as session:
            if inbox is not None and not await inbox.is_new(session, context.message.id, context.consumer):
                return None
            if is_done is not None and await _awaited(is_done(event, session)):
                return None
            return await handler(event, context, session)

    return handle


def _synchronous(
    handler: Callable[..., Any], transactions: Any, inbox: Inbox | None, is_done: Callable[..., Any] | None
) -> Callable[..., Any]:
    def handle(event: Any, context: Context) -> Any:
        with transactions.begin() as session:
            if inbox is not None and not inbox.is_new(session, context.message.id, context.consumer):
                return None
            if is_done is not None and is_done(event, session):
                return None
            return handler(event, context, session)

    return handle


async def _awaited(answer: Any) -> Any:
    return await answer if inspect.isawaitable(answer) else answer
