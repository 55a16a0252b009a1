"""Moving messages from queue to queue over AMQP: each is confirmed there before it is acked here.

Whoever dies in between leaves a message in both queues, and never one in none. Headers and properties go
along; the queue's own limits (a delay, a time to live) begin anew.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

from penstock.cli.progress import progress
from penstock.cli.reaching import reached
from penstock.client import Outgoing
from penstock.errors import BadSetting, BrokerRefused

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.client import Client, Delivery

__all__ = ["move_messages", "run_move"]

#: Messages in hand at a time.
BATCH: Final = 500
#: Seconds without a message after which a queue that should have more is taken to be empty: somebody else
#: consumes from it.
PATIENCE_S: Final = 3.0
_MISSING: Final = 404


def run_move(url: str, source: str, target: str, limit: int | None = None, *, is_quiet: bool = False) -> int:
    """Move what waits now, and tell how far it is if a person watches; how many.

    Raises:
        BadSetting: both are the same queue.
        BrokerRefused: one of them is not there.
        PublishError: the target does not take one; it, and what is behind it, stays where it is.
    """
    if source == target:
        raise BadSetting(f"{source} is both where they are and where they go", setting="to")
    return asyncio.run(_moved(url, source, target, limit, is_quiet=is_quiet))


async def _moved(url: str, source: str, target: str, limit: int | None, *, is_quiet: bool) -> int:
    async with reached(url) as client:
        states = [await client.queue_state(name) for name in (source, target)]
        for name, state in zip((source, target), states, strict=True):
            if state is None:
                raise BrokerRefused(f"there is no queue {name}", code=_MISSING)
        waiting = states[0].messages if states[0] else 0
        count = waiting if limit is None else min(limit, waiting)
        with progress("messages", is_quiet=is_quiet) as tell:
            return await move_messages(client, source, target, count, lambda moved: tell(moved, count))


async def move_messages(
    client: Client, source: str, target: str, count: int, tell: Callable[[int], object]
) -> int:
    """Move so many, or as many as there are; how many.

    Args:
        tell: Called with how many are moved so far.
    """
    if not count:
        return 0
    came: asyncio.Queue[list[Delivery]] = asyncio.Queue()
    in_hand: list[Delivery] = []
    consumption = await client.consume(source, came.put_nowait, prefetch=min(BATCH, count), any_size=True)
    moved = 0
    try:
        while moved < count:
            async with asyncio.timeout(PATIENCE_S):
                in_hand = await came.get()
            wanted = in_hand[: count - moved]
            await _pass_on(client, target, wanted)
            moved += len(wanted)
            tell(moved)
    except TimeoutError:
        pass
    finally:
        await consumption.cancel()
        while not came.empty():
            in_hand += came.get_nowait()
        for each in in_hand:
            # To where it was; nothing happens to those that are acked.
            each.nack()
    return moved


async def _pass_on(client: Client, target: str, deliveries: list[Delivery]) -> None:
    outgoings = [Outgoing("", target, each.body, each.properties) for each in deliveries]
    for delivery, error in zip(deliveries, await client.publish_many(outgoings), strict=True):
        if error is not None:
            raise error
        delivery.ack()
