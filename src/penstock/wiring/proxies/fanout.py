"""FANOUT routes all messages to all registered queues."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.wiring.proxy import Proxy

if TYPE_CHECKING:
    from collections.abc import Sequence

    from penstock.wiring.message import Message
    from penstock.wiring.registration import Registration

__all__ = ["Fanout"]


class Fanout(Proxy):
    """Everything to everyone; whatever pattern a registration brings is the same one."""

    class_name = "FANOUT"
    by_destination = True

    def normalise(self, pattern: Any) -> None:
        return None

    def match(self, message: Message, destination: str) -> Sequence[Registration]:
        return tuple(self.registrations.values())

    def why_not(self, pattern: None, message: Message, destination: str) -> None:
        return None

    def describe(self, pattern: None) -> str:
        return "everything"
