"""The verbs of readers: PUT, GET and DELETE one; lease, take, commit; GET a range, or expect some.

Who may consume a queue may read it. What changes something is answered when it is on disk.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Final

from penstock.server.http.durable import durable
from penstock.server.http.ranges import KIND, check_range, range_batches
from penstock.server.http.replies import HttpFault, Reply, json_reply
from penstock.server.operations import Operation

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable

    from penstock.broker import Broker
    from penstock.broker.reader import Reader
    from penstock.server.http.visit import Visit

__all__ = ["commit", "delete_reader", "expect", "get_reader", "lease", "put_reader", "read_range", "take"]

#: Seconds for which a taker may wait, and between two looks whether there is something: nobody who puts
#: messages into a queue has to think of it.
WAIT_MOST: Final = 10.0
LOOK_IN: Final = 0.005
#: Ranges that are begun; of more, each would have little.
EXPECTED_MOST: Final = 16


async def put_reader(visit: Visit, queue: str, name: str) -> Reply:
    """Make a reader if it is new."""
    visit.guard.check(Operation.CONSUME, queue)
    reader = visit.host.readers.open(queue, name)
    await durable(visit.front.broker)
    return _told(visit, reader)


async def get_reader(visit: Visit, queue: str, name: str) -> Reply:
    """How far it is."""
    return _told(visit, _found(visit, queue, name))


async def delete_reader(visit: Visit, queue: str, name: str) -> Reply:
    """Give what is not committed back to the queue."""
    reader = _found(visit, queue, name)
    # Whoever hangs up, or has no patience: nothing may stay between reader and queue.
    await asyncio.shield(_give_back(reader, visit.front.broker))
    await durable(visit.front.broker)
    return json_reply({})


async def _give_back(reader: Reader, broker: Broker) -> None:
    for _ in reader.give_back_in_parts(broker.now):
        broker.turn()
        # The others on this loop want their turn.
        await asyncio.sleep(0)


async def lease(visit: Visit, queue: str, name: str) -> Reply:
    """Be the one who takes and commits."""
    reader = _found(visit, queue, name)
    holder, seconds = visit.request.said(holder=str, seconds=float)
    reader.lease(holder, seconds, visit.front.broker.now)
    return json_reply({})


async def take(visit: Visit, queue: str, name: str) -> Reply:
    """Take messages off the queue; if there are none, those that come first, within some time."""
    reader = _found(visit, queue, name)
    rows, size, holder, wait = visit.request.said({"wait": 0.0}, rows=int, size=int, holder=str, wait=float)
    broker = visit.front.broker
    reader.check_holder(holder, broker.now)
    if wait and not reader.waiting:
        await _something_waits(reader, min(wait, WAIT_MOST))
        reader = _found(visit, queue, name)
        reader.check_holder(holder, broker.now)
    for _ in reader.take_in_parts(rows, size, broker.now):
        # The others on this loop want their turn.
        await asyncio.sleep(0)
    await durable(broker)
    return json_reply({"taken": reader.taken})


async def _something_waits(reader: Reader, seconds: float) -> None:
    loop = asyncio.get_running_loop()
    until = loop.time() + seconds
    while not (reader.waiting or reader.ended) and loop.time() < until:  # noqa: ASYNC110  a queue rings for nobody
        await asyncio.sleep(LOOK_IN)


async def commit(visit: Visit, queue: str, name: str) -> Reply:
    """Be done with what was taken."""
    reader = _found(visit, queue, name)
    position, holder = visit.request.said(position=int, holder=str)
    broker = visit.front.broker
    reader.check_holder(holder, broker.now)
    reader.commit(position)
    await durable(broker)
    return json_reply({"committed": reader.committed})


async def read_range(visit: Visit, queue: str, name: str) -> Reply:
    """What is taken, between two positions."""
    reader = _found(visit, queue, name)
    start, end = visit.request.number("start"), visit.request.number("end")
    check_range(reader, start, end)
    return Reply(kind=KIND, stream=visit.front.foresight.stream(reader, start, end, _made(visit, reader)))


async def expect(visit: Visit, queue: str, name: str) -> Reply:
    """Begin with ranges that will be asked for."""
    reader = _found(visit, queue, name)
    ranges, holder = visit.request.said(ranges=list, holder=str)
    reader.check_holder(holder, visit.front.broker.now)
    spans = [_span(each) for each in ranges[:EXPECTED_MOST]]
    for span in spans:
        check_range(reader, *span)
    visit.front.foresight.expect(reader, spans, _made(visit, reader))
    return json_reply({})


def _span(said: object) -> tuple[int, int]:
    match said:
        case [int(start), int(end)] if start >= 0:
            return start, end
    raise HttpFault(400, "a range is two positions, as [0, 1000]")


def _made(visit: Visit, reader: Reader) -> Callable[[int, int], AsyncGenerator[list[Any]]]:
    return lambda start, end: range_batches(reader, start, end, visit.front.bodies)


def _found(visit: Visit, queue: str, name: str) -> Reader:
    visit.guard.check(Operation.CONSUME, queue)
    return visit.host.readers.get(queue, name)


def _told(visit: Visit, reader: Reader) -> Reply:
    visit.front.broker.settle(visit.host)
    return json_reply(
        {
            "queue": reader.queue.name,
            "name": reader.name,
            "committed": reader.committed,
            "taken": reader.taken,
            "waiting": reader.waiting,
            "oldest_at": reader.oldest_at,
        }
    )
