"""The ladder, walked in thought. With the real RabbitMQ it is climbed in test_delays_on_rabbitmq.py."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from penstock.errors import NotPortable
from penstock.messaging.delays import LONGEST_S, UNDELIVERED, DelayLadder, whole_seconds
from penstock.messaging.headers import EXCHANGE, KEY
from penstock.messaging.message import Destination
from penstock.wiring.wildcards import split_words, words_fit

if TYPE_CHECKING:
    from penstock.messaging.port import Detour, Topology

LADDER = DelayLadder()


class Walk:
    """Walks a topology as a broker would; notes the seconds spent and the queues that are not part of it."""

    def __init__(self, topology: Topology, extra_key: str | None = None) -> None:
        self.exchanges = {each.name: each for each in topology.exchanges}
        self.queues = {each.name: each for each in topology.queues}
        self.bindings = topology.bindings
        self.extra_key = extra_key
        self.seconds = 0.0
        self.arrived: list[str] = []
        self.left_to: list[str] = []

    def publish(self, exchange: str, key: str) -> None:
        if exchange not in self.exchanges:
            self.left_to.append(exchange)
            return
        keys = [key] if self.extra_key is None else [key, self.extra_key]
        found = {
            (str(binding.target), binding.to_exchange)
            for binding in self.bindings
            if binding.source == exchange and any(fits(binding.routing_key, each) for each in keys)
        }
        if not found and (other := self.exchanges[exchange].arguments.get("alternate-exchange")):
            self.left_to.append(str(other))
        for target, is_exchange in found:
            if is_exchange:
                self.publish(target, key)
            else:
                self._enqueue(target, key)

    def _enqueue(self, name: str, key: str) -> None:
        if name not in self.queues:
            self.arrived.append(name)
            return
        arguments: dict[str, Any] = self.queues[name].arguments
        self.seconds += arguments["x-message-ttl"] / 1000
        self.publish(arguments["x-dead-letter-exchange"], key)


def fits(pattern: str, key: str) -> bool:
    return words_fit(split_words(pattern), split_words(key))


def walked(detour: Detour) -> Walk:
    copies = detour.headers.get("CC")
    walk = Walk(detour.topology, copies[0] if copies else None)
    walk.publish(detour.to.exchange, detour.to.key)
    return walk


NAMES = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=40)


@given(st.floats(0, LONGEST_S), NAMES)
@example(LONGEST_S, "q")
@example(1, "a.b.*.#")
@example(2**27, "orb.wait")
@example(0.001, "x" * 255)
def test_a_message_to_a_queue_takes_its_time_and_arrives_once(delay: float, queue: str) -> None:
    detour = LADDER.detour(delay, Destination("", queue))
    walk = walked(detour)
    assert walk.arrived == [queue]
    assert walk.left_to == []
    assert delay <= walk.seconds < max(delay, 0.1) + 1
    assert len(detour.to.key.encode()) <= 255


@given(st.integers(1, LONGEST_S), NAMES, st.text("ab.*#01", max_size=30))
@example(1, "orders", "0.0.1")
@example(3, "orders", ".".join("1" * 28))
@example(1, "x" * 255, "key")
def test_a_message_to_an_exchange_leaves_the_ladder_there_with_its_own_key(
    delay: int, exchange: str, key: str
) -> None:
    detour = LADDER.detour(delay, Destination(exchange, key))
    walk = walked(detour)
    assert (walk.arrived, walk.left_to) == ([], [exchange])
    assert walk.seconds == delay
    assert all(len(queue.name.encode()) <= 255 for queue in detour.topology.queues)
    assert detour.headers == {"CC": [key], EXCHANGE: exchange, KEY: key}


@given(NAMES, NAMES, st.integers(1, 100))
@example("b", "a.b", 1)
@example("#", "x", 1)
def test_nobody_else_gets_it(one: str, other: str, delay: int) -> None:
    # Given two queues, an exchange by the same name, and a ladder that serves all of them
    ways = [Destination("", one), Destination("", other), Destination(one, "key")]
    bindings = {b for to in ways for b in LADDER.detour(LONGEST_S, to).topology.bindings}
    detour = LADDER.detour(delay, ways[0])
    whole = LADDER.detour(LONGEST_S, ways[2]).topology
    walk = Walk(whole)
    walk.bindings = tuple(bindings)
    walk.publish(detour.to.exchange, detour.to.key)
    assert (walk.arrived, walk.left_to, walk.seconds) == ([one], [], delay)


def test_what_finds_its_queue_deleted_is_put_aside() -> None:
    detour = LADDER.detour(3, Destination("", "gone"))
    walk = Walk(detour.topology)
    walk.bindings = tuple(binding for binding in walk.bindings if binding.target != "gone")
    walk.publish(detour.to.exchange, detour.to.key)
    assert (walk.arrived, walk.left_to) == ([], [UNDELIVERED])


@pytest.mark.parametrize(
    ("delay", "seconds"), [(0, 1), (0.001, 1), (1, 1), (1.001, 2), (4.5, 5), (LONGEST_S, LONGEST_S)]
)
def test_a_fraction_of_a_second_is_rounded_up(delay: float, seconds: int) -> None:
    assert whole_seconds(delay) == seconds


def test_longer_than_the_ladder_is_refused() -> None:
    with pytest.raises(NotPortable, match=r"RabbitMQ holds a message for 268435455 s, 8.5 years"):
        LADDER.detour(LONGEST_S + 1, Destination("", "q"))


def test_only_the_levels_that_are_needed_are_declared() -> None:
    def levels(delay: float) -> int:
        topology = LADDER.detour(delay, Destination("", "q")).topology
        return sum("x-message-ttl" in queue.arguments for queue in topology.queues)

    assert [levels(delay) for delay in (1, 2, 30, LONGEST_S)] == [1, 2, 5, 28]


def test_every_level_is_one_exchange_and_one_queue_of_twice_the_time() -> None:
    topology = LADDER.detour(LONGEST_S, Destination("", "q")).topology
    times = {queue.name: queue.arguments.get("x-message-ttl") for queue in topology.queues}
    assert [times[f"penstock.delay-{level:02}"] for level in range(28)] == [
        1000 * 2**level for level in range(28)
    ]
    assert len(topology.exchanges) == 28 + 2


@pytest.mark.parametrize("is_quorum", [True, False])
def test_the_kind_of_queue_is_a_choice(is_quorum: bool) -> None:  # noqa: FBT001  a column of the table
    topology = DelayLadder(quorum=is_quorum).detour(1, Destination("orders", "x")).topology
    kinds = {queue.name: queue.arguments["x-queue-type"] for queue in topology.queues}
    assert set(kinds.values()) == {"quorum" if is_quorum else "classic"}
    safe = {queue.name for queue in topology.queues if "x-dead-letter-strategy" in queue.arguments}
    handing_on = {queue.name for queue in topology.queues if "x-dead-letter-exchange" in queue.arguments}
    assert safe == (handing_on if is_quorum else set())
