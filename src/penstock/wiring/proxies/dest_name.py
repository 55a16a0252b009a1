"""DEST-NAME routes messages on their destination name, by direct comparison."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.wiring.proxy import Proxy

if TYPE_CHECKING:
    from collections.abc import Sequence

    from penstock.wiring.message import Message
    from penstock.wiring.registration import Registration

__all__ = ["DestName"]


class DestName(Proxy):
    """The building block of store and forward."""

    class_name = "DEST-NAME"
    by_destination = True

    def normalise(self, pattern: Any) -> str:
        if not isinstance(pattern, str):
            raise self.refuse(pattern, "the pattern is the destination itself, a text")
        return pattern

    def match(self, message: Message, destination: str) -> Sequence[Registration]:
        registration = self.registrations.get(destination)
        return (registration,) if registration else ()

    def why_not(self, pattern: str, message: Message, destination: str) -> str | None:
        return None if pattern == destination else f"destination {destination!r} is not {pattern!r}"
