"""Registration: "give me a copy of all messages that look like this".

Identical registrations are one, with a list of those who asked, so a proxy that thousands of queues
register with in the same way matches once. Whoever can be registered is a Target: queues, and
proxies themselves.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from penstock.wiring.proxy import Proxy

__all__ = ["Registration", "Target", "Targets"]


class Target:
    """Something a proxy can pass a message to."""

    __slots__ = ()

    #: Whether a message that reaches this has further to go before it stands in a queue.
    detour: bool


#: An ordered set: each target once.
Targets = dict[Target, None]


class Registration:
    """A pattern at a proxy, and everyone who registered with it."""

    __slots__ = ("pattern", "proxy", "targets")

    def __init__(self, proxy: Proxy, pattern: Any) -> None:
        self.proxy = proxy
        #: In the proxy class's normal form, hashable: equal patterns mean the same.
        self.pattern = pattern
        self.targets: Targets = {}

    def __repr__(self) -> str:
        pattern = self.proxy.describe(self.pattern)
        return f"<Registration {pattern} at {self.proxy.name!r}: {len(self.targets)} targets>"
