"""Which publishes of a channel are not confirmed yet (https://www.rabbitmq.com/docs/confirms).

The broker names a publish by its number on the channel, one by one or all up to a number; what it gives back
as unroutable it does not name at all, but it does so before it confirms it. No I/O and no clock.
"""

from __future__ import annotations

from itertools import chain, repeat, takewhile
from math import inf
from typing import TYPE_CHECKING

from penstock.errors import PublishLost, PublishRefused, PublishTimeout, Unroutable

if TYPE_CHECKING:
    from penstock.client.counters import Counters
    from penstock.client.publishing import Publishing
    from penstock.client.values import Outgoing
    from penstock.wire.amqp.methods import BasicReturn

__all__ = ["Confirms"]


class Confirms:
    """The unconfirmed publishes of one channel in confirm mode."""

    __slots__ = ("_counters", "_look_from", "_next", "pending")

    def __init__(self, counters: Counters) -> None:
        self._counters = counters
        self.pending: dict[int, Publishing] = {}
        self._next = 1
        #: Where the message that is given back next is likely to be.
        self._look_from = 1

    def __repr__(self) -> str:
        return f"<Confirms {len(self.pending)} pending, next is {self._next}>"

    def add(self, publishing: Publishing) -> None:
        """These are sent now."""
        first = publishing.first = self._next
        size = len(publishing.outgoings)
        if size == 1:
            self.pending[first] = publishing
        else:
            self.pending.update(zip(range(first, first + size), repeat(publishing), strict=False))
        self._next = first + size
        self._counters.published += size

    def confirm(self, tag: int, *, is_multiple: bool) -> None:
        """The broker has it, or all up to it."""
        if not is_multiple:
            publishing = self.pending.pop(tag, None)
            if publishing is not None:
                self._counters.confirmed += 1
                publishing.settle()
            return
        numbers = self._up_to(tag)
        self._counters.confirmed += len(numbers)
        for publishing in map(self.pending.pop, numbers):
            # The body of `settle`, here because it runs for every message: a call less is a tenth less.
            publishing.left -= 1
            if not publishing.left:
                publishing.finish()

    def refuse(self, tag: int, *, is_multiple: bool) -> None:
        """The broker would not keep it, or all up to it."""
        for number in self._up_to(tag) if is_multiple else [tag]:
            publishing = self.pending.pop(number, None)
            if publishing is not None:
                self._counters.refused += 1
                publishing.fail(number - publishing.first, PublishRefused("the broker refused the message"))

    def _up_to(self, tag: int) -> list[int]:
        """The numbers pending up to this one; they were put there in order."""
        return list(takewhile(tag.__ge__, self.pending))

    def give_back(self, returned: BasicReturn, raw_properties: bytes, body: bytes) -> None:
        """The broker found no queue for a message like this; its confirm is still to come."""
        number = self._find(returned, raw_properties, body)
        if number is None:
            return
        self._counters.returned += 1
        self._look_from = number + 1
        publishing = self.pending[number]
        where = f"exchange '{returned.exchange}' with routing key '{returned.routing_key}'"
        publishing.errors[number - publishing.first] = Unroutable(
            f"{returned.reply_code} {returned.reply_text}: no queue takes messages of {where}"
        )

    def _find(self, returned: BasicReturn, raw_properties: bytes, body: bytes) -> int | None:
        """The first one like it that was not given back yet. Of twins it does not matter which."""
        for is_exact in (True, False):  # a broker may have changed the properties on the way
            ahead = range(self._look_from, self._next)
            for number in chain(ahead, takewhile(self._look_from.__gt__, self.pending)):
                publishing = self.pending.get(number)
                if publishing is None or number - publishing.first in publishing.errors:
                    continue
                sent = publishing.outgoings[number - publishing.first]
                if _is_like(sent, returned, body) and not (
                    is_exact and sent.properties.raw != raw_properties
                ):
                    return number
        return None

    def expire(self, now: float) -> float:
        """Give up what is past its deadline; when the next one will be."""
        late = [number for number, publishing in self.pending.items() if publishing.deadline <= now]
        for number in late:
            publishing = self.pending.pop(number)
            self._counters.timed_out += 1
            error = PublishTimeout("no confirm came in time; the message may or may not have arrived")
            publishing.fail(number - publishing.first, error)
        return min((publishing.deadline for publishing in self.pending.values()), default=inf)

    def lose(self, reason: str, *, is_refusal: bool = False, is_of_one: bool = False) -> None:
        """The channel is gone. If it was closed because of a message, those it can have been are refused.

        Args:
            reason: What the broker said, or what happened to the connection.
            is_refusal: The broker has closed it; it may have named an exchange.
            is_of_one: Because of a single message, whichever that is.
        """
        pending, self.pending = self.pending, {}
        is_known = is_of_one and len(pending) == 1
        for number, publishing in pending.items():
            position = number - publishing.first
            if is_known or (is_refusal and f"'{publishing.outgoings[position].exchange}'" in reason):
                self._counters.refused += 1
                publishing.fail(position, PublishRefused(reason, is_final=True))
            else:
                self._counters.lost += 1
                publishing.fail(position, PublishLost(f"before the confirm came: {reason}"))


def _is_like(sent: Outgoing, returned: BasicReturn, body: bytes) -> bool:
    return (
        sent.mandatory
        and sent.routing_key == returned.routing_key
        and sent.exchange == returned.exchange
        and sent.body == body
    )
