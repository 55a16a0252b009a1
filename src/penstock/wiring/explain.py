"""explain: where a message would go, which registrations were tried, and why the others did not match.

It looks at everything and changes nothing; no message is published and no dice are thrown.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from penstock.wiring.proxy import Proxy
from penstock.wiring.queue import Queue

if TYPE_CHECKING:
    from collections.abc import Mapping

    from penstock.wiring.message import Message
    from penstock.wiring.registration import Registration, Target

__all__ = ["Explanation", "Trial", "explain"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """One registration, or one stage of a stack, held against the message."""

    proxy: str
    #: What was asked for, in words.
    pattern: str
    #: Who asked: proxies and queues.
    targets: tuple[str, ...]
    #: Why it did not match; None if it did.
    why_not: str | None

    @property
    def matched(self) -> bool:
        """Whether the message is what was asked for."""
        return self.why_not is None

    def __str__(self) -> str:
        verdict = "matches" if self.matched else f"no: {self.why_not}"
        return f"{self.proxy}: {self.pattern} → {', '.join(self.targets)}: {verdict}"


@dataclass(frozen=True, slots=True)
class Explanation:
    """The whole way of a message; printed, a text for people."""

    message: Message
    trials: list[Trial] = field(default_factory=list)
    #: Addresses of the queues it reaches.
    queues: list[str] = field(default_factory=list)

    @property
    def matched(self) -> list[Trial]:
        """The registrations that asked for it."""
        return [trial for trial in self.trials if trial.matched]

    def __str__(self) -> str:
        lines = [str(trial) for trial in self.trials]
        lines.append(f"reaches {', '.join(self.queues)}" if self.queues else "reaches no queue")
        return "\n".join(lines)


def explain(proxies: Mapping[str, Proxy], proxy: Proxy, message: Message) -> Explanation:
    """What would happen to a message sent to this proxy."""
    told = Explanation(message)
    asked: set[Proxy] = set()
    ahead = [proxy]
    while ahead:
        proxy = ahead.pop(0)
        if proxy in asked:
            continue
        asked.add(proxy)
        matching = _matching(told, proxy)
        targets = dict.fromkeys(target for registration in matching for target in registration.targets)
        if not targets and proxy.alternate is not None:
            ahead += filter(None, [proxies.get(proxy.alternate)])
        ahead += [target for target in targets if isinstance(target, Proxy)]
        for target in targets:
            if isinstance(target, Queue) and target.address not in told.queues and _passes(told, target):
                told.queues.append(target.address)
    return told


def _matching(told: Explanation, proxy: Proxy) -> list[Registration]:
    matching = []
    for registration in proxy.registrations.values():
        names = tuple(_name(target) for target in registration.targets)
        if _try(told, proxy, registration.pattern, names):
            matching.append(registration)
    return matching


def _passes(told: Explanation, queue: Queue) -> bool:
    return all(_try(told, stage.proxy, stage.pattern, (_name(queue),)) for stage in queue.stack)


def _try(told: Explanation, proxy: Proxy, pattern: object, targets: tuple[str, ...]) -> bool:
    message = told.message
    reasons = [
        proxy.why_not(pattern, message, destination)
        for destination in (message.destination, *message.terms.also)
    ]
    why_not = None if None in reasons else reasons[0]
    trial = Trial(proxy=proxy.name, pattern=proxy.describe(pattern), targets=targets, why_not=why_not)
    told.trials.append(trial)
    return trial.matched


def _name(target: Target) -> str:
    if isinstance(target, Queue):
        return f"queue {target.address}"
    return f"proxy {target.name}" if isinstance(target, Proxy) else repr(target)
