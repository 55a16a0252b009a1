"""Which queues a message would reach, as a topology has it. Pure, and told from names alone.

Headers are not known before there is a message: a headers exchange reaches whatever is bound to it. The
types of exchange that only Penstock has may reach whatever is bound to them, too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from penstock.wiring.wildcards import split_words, words_fit

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.messaging.topology.model import Topology

__all__ = ["key_fits", "reached"]


def key_fits(pattern: str, key: str) -> bool:
    """Whether a topic exchange takes a key for a binding: `*` is one word, `#` any number of them."""
    return words_fit(split_words(pattern), split_words(key))


def _anything(_pattern: str, _key: str) -> bool:
    return True


#: By the exchange's type: whether a binding's key takes a message's. Others may take any.
_TYPES: Final[dict[str, Callable[[str, str], bool]]] = {
    "direct": lambda pattern, key: pattern == key,
    "topic": key_fits,
}
#: Exchanges that are everywhere, as far as their type matters.
_BUILT_IN: Final = {"amq.direct": "direct", "amq.topic": "topic"}


def reached(topology: Topology, exchange: str, key: str) -> list[str]:
    """The queues that a message published like that may reach, in the order of their bindings."""
    if not exchange:
        return [queue.name for queue in topology.queues if queue.name == key]
    types = _BUILT_IN | {each.name: each.type for each in topology.exchanges}
    found: dict[str, None] = {}
    been = {exchange}
    to_do = [exchange]
    while to_do:
        source = to_do.pop()
        takes = _TYPES.get(types.get(source, ""), _anything)
        for binding in topology.bindings:
            if binding.source != source or not takes(binding.routing_key, key):
                continue
            target = binding.target if isinstance(binding.target, str) else binding.target.name
            if not binding.to_exchange:
                found[target] = None
            elif target not in been:
                been.add(target)
                to_do.append(target)
    return list(found)
