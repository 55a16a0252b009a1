"""How a message waits on a broker that has no delays of its own: a ladder of 28 queues. Pure.

RabbitMQ expires messages at the head of a queue only, so one queue in which each message has a time of its
own lets a long wait block the short ones behind it. On the ladder every queue has one time for all: level n
holds a message for 2ⁿ seconds, and a delay is its binary digits. The way is NServiceBus's (its RabbitMQ
transport's delayed delivery), and kombu's too; there is no plugin in it.

    exchange n ──digit 1──► queue n ──2ⁿ s──► exchange n-1      … level 0 ──► delivery ──► where it was to go
        └──────digit 0────────────────────────────┘

The routing key is `penstock-delay.<28 digits, highest first>.<address of the destination>`; a message enters
at its highest digit 1, so only the levels up to there need to exist. Whole seconds: a fraction is rounded
up, since late is what a delay promises to be. What must be there for a way is told as a Topology; whoever
publishes has it declared.
"""

from __future__ import annotations

from functools import lru_cache
from hashlib import sha256
from math import ceil
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

from penstock.client import Binding, Exchange, Queue
from penstock.errors import NotPortable
from penstock.messaging.headers import EXCHANGE, KEY
from penstock.messaging.message import Destination
from penstock.messaging.port import Detour, Topology

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["LEVELS", "LONGEST_S", "DelayLadder", "whole_seconds"]

LEVELS: Final = 28
#: Eight and a half years.
LONGEST_S: Final = 2**LEVELS - 1

#: First word of the routing key. A message to an exchange has its own key beside it (CC), and that one
#: must fit no rung.
MARK: Final = "penstock-delay"
DELIVERY: Final = "penstock.delay-delivery"
#: For what comes off the ladder and finds its queue or exchange deleted.
UNDELIVERED: Final = "penstock.delay-undelivered"
#: Bytes of the destination's address: a routing key has 255 (AMQP 0-9-1 §4.2.5.3), 71 are mark and digits.
LONGEST_ADDRESS: Final = 170

#: Queues that hand on what has died in them until somebody has confirmed it; a classic queue tries once.
QUORUM: Final[Mapping[str, Any]] = {
    "x-queue-type": "quorum",
    "x-dead-letter-strategy": "at-least-once",
    "x-overflow": "reject-publish",
}
CLASSIC: Final[Mapping[str, Any]] = {"x-queue-type": "classic"}


def whole_seconds(delay: float) -> int:
    """The delay in the ladder's steps: rounded up, at least one.

    Raises:
        NotPortable: it is longer than the ladder.
    """
    seconds = max(ceil(delay), 1)
    if seconds > LONGEST_S:
        raise NotPortable(f"a delay of {delay:g} s: RabbitMQ holds a message for {LONGEST_S} s, 8.5 years")
    return seconds


class DelayLadder:
    """The port's `Delays`, on the ladder.

    Args:
        quorum: Quorum queues (RabbitMQ 3.10 and later), that lose nothing on the way; else classic ones.
    """

    def __init__(self, *, quorum: bool = True) -> None:
        self._kind = QUORUM if quorum else CLASSIC
        # The same few destinations and levels come again with every retry.
        self._rungs = lru_cache(LEVELS)(self._made_rungs)
        self._end = lru_cache(1024)(self._made_end)

    def detour(self, delay: float, to: Destination) -> Detour:
        """The way that takes so many seconds, rounded up, and ends there.

        Raises:
            NotPortable: the delay is longer than the ladder.
        """
        seconds = whole_seconds(delay)
        top = seconds.bit_length() - 1
        rungs, end = self._rungs(top), self._end(to.exchange, to.key if not to.exchange else "")
        topology = Topology(
            exchanges=rungs.exchanges,
            queues=(*rungs.queues, *end.queues),
            bindings=(*rungs.bindings, *end.bindings),
        )
        way = Destination(level_name(top), routing_key(seconds, address(to)))
        if not to.exchange:
            return Detour(topology=topology, to=way)
        return Detour(topology=topology, to=way, headers={"CC": [to.key], EXCHANGE: to.exchange, KEY: to.key})

    def _made_rungs(self, top: int) -> Topology:
        """Levels 0 to `top`, and the landing at their foot."""
        levels = range(top + 1)
        return Topology(
            exchanges=(
                *(Exchange(level_name(level), "topic") for level in levels),
                Exchange(DELIVERY, "topic", arguments={"alternate-exchange": UNDELIVERED}),
                Exchange(UNDELIVERED, "fanout"),
            ),
            queues=(
                *(self._queue(level_name(level), 2**level, _below(level)) for level in levels),
                Queue(UNDELIVERED, arguments={"x-queue-type": self._kind["x-queue-type"]}),
            ),
            bindings=(
                *(binding for level in levels for binding in _level_bindings(level)),
                Binding(UNDELIVERED, UNDELIVERED, ""),
            ),
        )

    def _made_end(self, exchange: str, queue: str) -> Topology:
        """From the landing to the queue; or to the exchange, through a queue of its own.

        The exchange's queue gives the message back its key (CC), and what that exchange does not take
        waits there, in nobody else's way.
        """
        to = Destination(exchange, queue)
        if not exchange:
            return Topology(bindings=(Binding(DELIVERY, queue, end_pattern(address(to))),))
        out = f"penstock.delay-to.{_short(exchange)}"
        return Topology(
            queues=(self._queue(out, 0, exchange),),
            bindings=(Binding(DELIVERY, out, end_pattern(address(to))),),
        )

    def _queue(self, name: str, seconds: int, then: str) -> Queue:
        arguments = {**self._kind, "x-message-ttl": seconds * 1000, "x-dead-letter-exchange": then}
        return Queue(name, arguments=arguments)


# Names, keys and patterns


def level_name(level: int) -> str:
    """What the exchange and the queue of a level are called."""
    return f"penstock.delay-{level:02}"


def address(to: Destination) -> str:
    """The destination as the end of a routing key and of a pattern, without wildcards."""
    # Quoted, there is no * and no # in it.
    return f"exchange:{_short(to.exchange)}" if to.exchange else f"queue:{_short(to.key)}"


def _short(name: str) -> str:
    quoted = quote(name, safe="")
    return quoted if len(quoted) <= LONGEST_ADDRESS else sha256(name.encode()).hexdigest()


def routing_key(seconds: int, end: str) -> str:
    """The way of so many seconds, as the ladder reads it."""
    return ".".join([MARK, *f"{seconds:0{LEVELS}b}", end])


def end_pattern(end: str) -> str:
    """What fits a destination's address, whatever the way was."""
    return ".".join([MARK, *"*" * LEVELS, end])


def _level_bindings(level: int) -> tuple[Binding, Binding]:
    """Digit 1 waits in the level's queue, digit 0 goes by it."""
    higher = ".".join([MARK, *"*" * (LEVELS - 1 - level)])
    name = level_name(level)
    return (
        Binding(name, name, f"{higher}.1.#"),
        Binding(name, _below(level), f"{higher}.0.#", to_exchange=True),
    )


def _below(level: int) -> str:
    return level_name(level - 1) if level else DELIVERY
