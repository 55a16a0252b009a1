"""Peeking: what waits in a queue, from any position on, with a filter; nothing is touched by it.

RabbitMQ can only hand messages out at the head, take them back, and mark them redelivered. Here a position is
found without looking at what is before it, and what is there is read where it stands.
"""

from __future__ import annotations

import asyncio
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from penstock.broker.turns import in_turns
from penstock.panel.api.contents import message_told, size_told
from penstock.panel.api.listing import number
from penstock.panel.api.queues import find_queue
from penstock.panel.api.slices import written
from penstock.panel.replies import ApiFault, Reply
from penstock.server.operations import Operation
from penstock.wiring import State
from penstock.wiring.selector import parse

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from penstock.panel.visit import Visit
    from penstock.wiring import Queue, Reference

__all__ = ["peek"]

#: Messages in one answer, bytes of each payload, unless it is said otherwise, and of all with their headers.
COUNT: Final = 10
COUNT_MOST: Final = 500
TRUNCATE: Final = 50_000
BYTES_MOST: Final = 16 * 1024 * 1024
#: Messages that are told in one go.
TOLD: Final = 50
#: Messages that a filter looks at in one go, which takes a millisecond or two, and for one answer.
SLICE: Final = 250
SCAN_MOST: Final = 100_000
#: Positions of what is not ready: these are counted from the first one each time.
FAR_MOST: Final = 20_000
#: What can be looked at: RabbitMQ's words, and ours.
STATES: Final = {
    "ready": State.READY,
    "unacked": State.HELD,
    "delayed": State.DELAYED,
    "buried": State.BURIED,
}


async def peek(visit: Visit, vhost: str, name: str) -> Reply:
    """Messages of a queue, each with its position; X-Next-Position says where to go on."""
    host = visit.host(vhost)
    visit.guard(vhost).check(Operation.GET, name)
    visit.broker.settle(host)
    queue, query = find_queue(host, name), visit.query
    start, count = number(query, "position", 0), number(query, "count", COUNT)
    if not 1 <= count <= COUNT_MOST:
        raise ApiFault(400, f"count is {count}: 1 to {COUNT_MOST} messages can be looked at")
    state = STATES.get(query.get("state", "ready"))
    if state is None:
        raise ApiFault(400, f"state is one of {', '.join(STATES)}")
    if state is not State.READY and start >= FAR_MOST:
        raise ApiFault(400, f"of what is not ready, the first {FAR_MOST} can be looked at")
    truncate = min(number(query, "truncate", TRUNCATE), BYTES_MOST)
    told: list[dict[str, Any]] = []
    size, following = 0, start
    async for position, reference in _found(queue, state, start, count, query.get("filter", "")):
        if reference is None:
            following = position
            continue
        size += size_told(reference.message, truncate)
        if size > BYTES_MOST and told:
            following = position
            break
        told.append(_row(queue, reference, position, visit.broker.now, truncate))
        following = position + 1
        if len(told) == count:
            break
        if len(told) % TOLD == 0:
            await asyncio.sleep(0)
    body = await written(told, lambda row: row, TOLD)
    return Reply(body=body, headers={"X-Next-Position": str(following)})


async def _found(
    queue: Queue, state: State, start: int, count: int, statement: str
) -> AsyncIterator[tuple[int, Reference | None]]:
    """What of a queue fits a filter, from a position on, as far as one answer looks; with the positions.

    None stands for nothing that fits, up to its position.
    """
    if not statement:
        for position, reference in enumerate(await _some(queue, state, start, count), start):
            yield position, reference
        return
    fits = parse(statement).matches
    end = start + SCAN_MOST if state is State.READY else FAR_MOST
    for first in range(start, end, SLICE):
        some = await _some(queue, state, first, min(SLICE, end - first))
        for position, reference in enumerate(some, first):
            if fits(reference.message.properties):
                yield position, reference
        yield first + len(some), None
        if len(some) < SLICE:
            return
        await asyncio.sleep(0)


async def _some(queue: Queue, state: State, first: int, count: int) -> list[Reference]:
    if state is State.READY:
        return await in_turns(queue.looking(first, count))
    return list(islice(queue.peek(state), first, first + count))


def _row(queue: Queue, reference: Reference, position: int, now: float, truncate: int) -> dict[str, Any]:
    told = message_told(reference.message, truncate=truncate)
    notes = reference.notes
    return told | {
        "position": position,
        "redelivered": reference.acquired > 0 or reference.redelivered > 0,
        "deliveries": reference.acquired,
        "failures": reference.failed,
        "error": None if notes is None else notes.error,
        "age": max(queue.age(reference, now), 0.0),
        "due_in": max(notes.due_at - now, 0.0) if notes is not None and notes.due_at > now else None,
    }
