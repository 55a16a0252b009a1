"""Database first, then publish: the change stays only if its messages are out.

Commonwealth's second way, for changes that nobody wants to keep untold (a chain is deleted): in one
transaction the database is written, then the messages are published, and if that fails the change is rolled
back and the user tries again later. Where a change is to be kept whatever happens to its messages, use
`outbox.add`.

What it cannot do: the broker's confirm comes before the commit. If the database dies between the two, the
messages tell of a change that is not there; everything else that can refuse a commit is asked before.
And if the second of two messages is refused, the first is out.
"""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncSession
from sqlalchemy.orm import Session

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Sequence

    from sqlalchemy.engine import Connection

    from penstock.errors import PublishError
    from penstock.messaging import Broker, Destination, Message
    from penstock.outbox.outbox import Outbox

    AnyTransaction = AsyncConnection | AsyncSession | Connection | Session

__all__ = ["Publishing", "database_first"]

#: Constraints that are looked at only at the commit are looked at now.
_CHECK_NOW: Final = text("SET CONSTRAINTS ALL IMMEDIATE")


class Publishing:
    """Call it for every message that is to be published at the end of the block."""

    def __init__(self, outbox: Outbox) -> None:
        self._outbox = outbox
        self.messages: list[tuple[Message, Destination]] = []

    def __call__(self, what: Any, *, to: Destination | None = None) -> Message:
        """Have a message or an event published, if the rest of the block goes well.

        Raises:
            OutboxError: it has nowhere to go.
        """
        message, to = self._outbox.prepared(what, to)
        self.messages.append((message, to))
        return message


@asynccontextmanager
async def database_first(
    on: AnyTransaction,
    broker: Broker,
    outbox: Outbox,
    *,
    timeout: float | None = None,  # noqa: ASYNC109  the broker keeps it
) -> AsyncIterator[Publishing]:
    """A block whose change is committed when its messages are confirmed, and rolled back otherwise.

    The messages are kept in the outbox as well, as relayed, so that they can be replayed.

    Args:
        on: A session or connection; the block owns its transaction.
        broker: Who must confirm.
        outbox: Where the messages are kept.
        timeout: Seconds until the deadline of the confirms.

    Raises:
        PublishError: a message was refused or not confirmed in time; the change is rolled back.
    """
    publishing = Publishing(outbox)
    try:
        yield publishing
        await _run(on, _write, outbox, publishing.messages)
        _raise_first(await broker.publish_many(publishing.messages, timeout=timeout))
    except BaseException:
        await _do(on, "rollback")
        raise
    await _do(on, "commit")


def _raise_first(errors: Sequence[PublishError | None]) -> None:
    for error in errors:
        if error is not None:
            raise error


def _write(on: Session | Connection, outbox: Outbox, messages: list[tuple[Message, Destination]]) -> None:
    """Send the database all there is, so that it can refuse it."""
    for message, to in messages:
        outbox.add(on, message, to=to, relayed=1)
    if isinstance(on, Session):
        on.flush()
        on = on.connection()
    if on.dialect.name == "postgresql":
        on.execute(_CHECK_NOW)


async def _run(on: AnyTransaction, work: Callable[..., None], *arguments: Any) -> None:
    if isinstance(on, AsyncConnection | AsyncSession):
        await on.run_sync(work, *arguments)
    else:
        await asyncio.to_thread(work, on, *arguments)


async def _do(on: AnyTransaction, verb: str) -> None:
    if isinstance(on, AsyncConnection | AsyncSession):
        await getattr(on, verb)()
    else:
        await asyncio.to_thread(getattr(on, verb))
