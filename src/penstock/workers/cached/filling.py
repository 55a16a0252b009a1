"""What a worker does with the job of a miss: begin, make the value, keep it, tell all who wait."""

from __future__ import annotations

import asyncio
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any, Final

import msgspec

from penstock.clock import sleep
from penstock.errors import InvalidMessage, PersistentError, RequestRefused
from penstock.messaging.subscriptions.handling import is_async
from penstock.workers.cached.notice import Notice
from penstock.workers.cached.shelf import Claim

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.errors import MessagingError
    from penstock.workers.cached.keeping import Keeping
    from penstock.workers.cached.shelf import Entry
    from penstock.workers.job import Job

__all__ = ["fill"]

#: Seconds between two looks for what another job makes, if somebody waits for the result of this one.
LOOK_AGAIN_S: Final = 0.25


async def fill(keeping: Keeping, job: Job[Any], handler: Callable[[Job[Any]], Any]) -> Any:
    """Do the job of a miss, unless it is done already, or being done; what its handler returned.

    Raises:
        PersistentError, InvalidMessage: the handler says that it cannot be; all who wait are told.
    """
    entry = keeping.cached.entry(job.content)
    begun = await _begun(keeping, entry, job)
    if begun is None:
        return None
    if isinstance(begun, bytes):
        # A worker may have died between the shelf and the news.
        await keeping.tell(Notice(key=entry.key, of=(job.id,), value=msgspec.Raw(begun)))
        return msgspec.json.decode(begun)
    # Another claim may stand by now; whoever waits under the job's own is told as well.
    tokens = tuple({job.id, begun})
    try:
        async with keeping.holding(entry, begun) if keeping.shelf.is_shared else nullcontext():
            result = await (handler(job) if is_async(handler) else asyncio.to_thread(handler, job))
        value = _written(result)
    except (PersistentError, InvalidMessage) as exc:
        await _give_up(keeping, entry, tokens, exc)
        if isinstance(exc, RequestRefused) and job.message.reply_to is None:
            # That was an answer, and all who asked have it.
            return None
        raise
    if keeping.shelf.is_shared:
        await keeping.shelf.run(keeping.keep, entry, begun, value)
    await keeping.tell(Notice(key=entry.key, of=tokens, value=msgspec.Raw(value)))
    return result


async def _begun(keeping: Keeping, entry: Entry, job: Job[Any]) -> bytes | str | None:
    """The value, if it is there; else the claim that it is made under; None if that is another's business."""
    if not keeping.shelf.is_shared:
        # The shelves of those who ask are elsewhere, and hold the claim that the job is named after.
        return job.id
    while True:
        found = await keeping.claim(entry, keeping.cached.takes, maker=job.id)
        if not isinstance(found, Claim):
            return found
        if found.is_own:
            return found.token
        if found.token != job.id:
            # Whoever waits under this job's claim waits under the other from now on.
            await keeping.tell(Notice(key=entry.key, of=(job.id,)))
        if job.message.reply_to is None:
            return None
        await sleep(keeping.clock, LOOK_AGAIN_S)


async def _give_up(keeping: Keeping, entry: Entry, tokens: tuple[str, ...], error: MessagingError) -> None:
    if keeping.shelf.is_shared:
        await keeping.release(entry, *tokens)
    status = error.status if isinstance(error, RequestRefused) else 0
    await keeping.tell(Notice(key=entry.key, of=tokens, error=str(error), status=status))


def _written(result: Any) -> bytes:
    try:
        return msgspec.json.encode(result)
    except (TypeError, ValueError, msgspec.MsgspecError) as exc:
        raise PersistentError(f"what is to be cached cannot be written as JSON: {exc}") from exc
