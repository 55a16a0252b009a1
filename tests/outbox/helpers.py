"""What tests of the outbox say often."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from penstock.messaging import Destination, Message

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from sqlalchemy.engine import Engine

    from penstock.outbox import Outbox

TO = Destination("commons", "ThreadCreated")


def run(story: Awaitable[Any]) -> Any:
    """Tell a story to its end, which is soon."""

    async def with_deadline() -> Any:
        async with asyncio.timeout(60):
            return await story

    return asyncio.run(with_deadline())


async def comes_true(condition: Callable[[], object]) -> None:
    """Wait for what another thread or process does."""
    while not condition():  # noqa: ASYNC110  nobody there could set an event
        await asyncio.sleep(0.005)


def message(body: bytes = b"{}", **more: Any) -> Message:
    return Message(body=body, **({"type": "ThreadCreated"} | more))


def add(engine: Engine, outbox: Outbox, *bodies: bytes, priority: int = 0) -> None:
    """Add messages with these bodies, each in a transaction of its own."""
    for body in bodies:
        with engine.begin() as connection:
            outbox.add(connection, message(body, id=body.decode()), to=TO, priority=priority)


def rows(engine: Engine, outbox: Outbox, *columns: str) -> list[tuple[Any, ...]]:
    """All rows, as they were added."""
    table = outbox.table.c
    chosen = sa.select(*(table[name] for name in columns)).order_by(table.sequence)
    with engine.connect() as connection:
        return [tuple(row) for row in connection.execute(chosen)]
