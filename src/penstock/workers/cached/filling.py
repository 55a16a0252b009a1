"""What a worker does with the job of a miss: begin, make the value, keep it, tell all who wait."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import msgspec

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


async def fill(keeping: Keeping, job: Job[Any], handler: Callable[[Job[Any]], Any]) -> Any:
    """Do the job of a miss, unless it is done already; what its handler returned.

    Raises:
        PersistentError, InvalidMessage: the handler says that it cannot be; all who wait are told.
    """
    entry = keeping.cached.entry(job.content)
    begun = await _begun(keeping, entry, job.id)
    if isinstance(begun, bytes):
        # A worker may have died between the shelf and the news.
        await keeping.tell(Notice(key=entry.key, of=(job.id,), value=msgspec.Raw(begun)))
        return msgspec.json.decode(begun)
    # Another claim may stand by now; whoever waits under the job's own is told as well.
    tokens = tuple({job.id, begun})
    try:
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


async def _begun(keeping: Keeping, entry: Entry, job_id: str) -> bytes | str:
    """The value, if it is there; else the claim that it is made under."""
    if not keeping.shelf.is_shared:
        # The shelves of those who ask are elsewhere, and hold the claim that the job is named after.
        return job_id
    found = await keeping.claim(entry, keeping.cached.takes, extends=True)
    return found.token if isinstance(found, Claim) else found


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
