"""Router: the way of a message through proxies, proxies behind proxies, and stacks, to queues.

Each proxy is asked once and each queue reached once, so cycles in the wiring are harmless. The
publish path goes round this where a proxy leads straight to queues.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from penstock.wiring.proxy import Proxy
from penstock.wiring.queue import Queue

if TYPE_CHECKING:
    from collections.abc import Mapping

    from penstock.wiring.message import Message
    from penstock.wiring.registration import Targets

__all__ = ["Router", "Stage", "Way"]


class Stage(NamedTuple):
    """A proxy that steps in between a queue and the proxies it is registered with."""

    proxy: Proxy
    #: In the proxy class's normal form.
    pattern: Any


class Way(NamedTuple):
    """Where a message goes."""

    queues: list[Queue]
    #: Whether a proxy dropped it on purpose: then it is lost, not unroutable.
    lost: bool


class Router:
    """Finds the way of a message."""

    def __init__(self, proxies: Mapping[str, Proxy]) -> None:
        self._proxies = proxies

    def route(self, proxy: Proxy, message: Message) -> Way:
        """All queues a message sent to this proxy reaches."""
        destinations = (message.destination, *message.terms.also)
        #: Each queue met, and whether its stack lets the message pass.
        met: dict[Queue, bool] = {}
        asked: set[Proxy] = set()
        ahead: list[Proxy] = [proxy]
        lost = False
        while ahead:
            proxy = ahead.pop()
            if proxy in asked:
                continue
            asked.add(proxy)
            targets = ask(proxy, message, destinations)
            lost = lost or (proxy.loses and bool(proxy.registrations) and not targets)
            if not targets and proxy.alternate is not None:
                ahead += filter(None, [self._proxies.get(proxy.alternate)])
            for target in targets:
                if isinstance(target, Proxy):
                    ahead.append(target)
                elif isinstance(target, Queue) and target not in met:
                    blocked = blocking_stage(target, message, destinations)
                    met[target] = blocked is None
                    lost = lost or (blocked is not None and blocked.proxy.loses)
        return Way([queue for queue, passed in met.items() if passed], lost)


def ask(proxy: Proxy, message: Message, destinations: tuple[str, ...]) -> Targets:
    """Everyone registered with a proxy who asked for a message to any of these destinations."""
    if len(destinations) == 1 or proxy.loses:
        # Dice are thrown once a message, however many destinations it has.
        return proxy.route(message, destinations[0])
    targets: Targets = {}
    for destination in destinations:
        targets.update(proxy.route(message, destination))
    return targets


def blocking_stage(queue: Queue, message: Message, destinations: tuple[str, ...]) -> Stage | None:
    """The first stage of a queue's stack that does not let the message pass, if any."""
    for stage in queue.stack:
        where = destinations[:1] if stage.proxy.loses else destinations
        if not any(stage.proxy.passes(stage.pattern, message, destination) for destination in where):
            return stage
    return None
