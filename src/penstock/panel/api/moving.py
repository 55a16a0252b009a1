"""Moving messages from one queue to the end of another, in the same virtual host.

A message that is moved arrives and leaves in one batch of the store: whatever happens, it is in one queue or
the other.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

import msgspec

from penstock.panel.api.changing import desk_in
from penstock.panel.replies import ApiFault, json_reply
from penstock.server.http.durable import durable
from penstock.server.operations import Operation
from penstock.wiring.selector import parse

if TYPE_CHECKING:
    from penstock.broker import Broker
    from penstock.panel.replies import Reply
    from penstock.panel.visit import Visit
    from penstock.server.amqp.desk import Desk
    from penstock.wiring import Queue, Reference

__all__ = ["MoveBody", "move"]

#: Messages moved in one go: a few milliseconds of the loop's time.
SLICE: Final = 200


class MoveBody(msgspec.Struct):
    """Where to, how many, and which."""

    to: str
    count: int | None = None
    #: A selector.
    filter: str = ""


async def move(visit: Visit, vhost: str, name: str) -> Reply:
    """Move what waits now, all of it or some, to the end of another queue; how many were moved."""
    body: MoveBody = visit.body
    if body.to == name:
        raise ApiFault(400, "a queue's messages are moved to another queue, not to itself")
    if body.count is not None and body.count < 1:
        raise ApiFault(400, "count is at least 1")
    with desk_in(visit, vhost) as desk:
        desk.channel.check(Operation.GET, name)
        # As if they were published to it by its name.
        desk.channel.check(Operation.PUBLISH, "")
        way = _Way(visit.broker, desk, desk.queue(name), desk.queue(body.to))
        count = min(way.source.ready, body.count or way.source.ready)
        await (way.take_fitting(count, body.filter) if body.filter else way.take_first(count))
    await durable(visit.broker)
    return json_reply({"moved": way.moved})


class _Way:
    """From one queue to another."""

    def __init__(self, broker: Broker, desk: Desk, source: Queue, target: Queue) -> None:
        self._broker = broker
        self._desk = desk
        self.source = source
        self._target = target
        self.moved = 0

    async def take_first(self, count: int) -> None:
        """Move so many from the head."""
        ledger = self._desk.channel.ledger
        while self.moved < count and (got := self.source.get(ledger, self._broker.now)) is not None:
            if not self._arrives(got.references[0]):
                ledger.nack(got.first_tag, self._broker.now)
                return
            ledger.ack(got.first_tag)
            if self.moved % SLICE == 0:
                await self._breathe()

    async def take_fitting(self, count: int, statement: str) -> None:
        """Move so many of those that fit a selector, wherever they stand.

        Raises:
            BadSelector: it cannot be read.
        """
        fits, source = parse(statement).matches, self.source
        position, left, delivered = 0, source.ready, source.tally.delivered
        while left > 0 and (some := source.look(position, SLICE)):
            left -= len(some)
            for reference in some:
                if self.moved == count:
                    return
                if not fits(reference.message.properties):
                    position += 1
                elif self._arrives(reference):
                    source.remove(reference)
                else:
                    return
            await self._breathe()
            # What consumers have taken from the head meanwhile does not stand before us any more.
            gone, delivered = source.tally.delivered - delivered, source.tally.delivered
            position = max(position - gone, 0)

    def _arrives(self, reference: Reference) -> bool:
        """Put a message at the end of the other queue; whether there was room."""
        if self._target.destroyed:
            return False
        wiring = self._desk.channel.host.wiring
        if wiring.place(self._target, reference.message, self._broker.now) is None:
            return False
        self.moved += 1
        return True

    async def _breathe(self) -> None:
        self._broker.turn()
        await asyncio.sleep(0)
        self._broker.refresh()
