"""Up-casters: how a message of an older version becomes one of the next.

A message may wait in a queue, or among the dead letters, for longer than the version it was written in
lasts. An up-caster takes its content as a plain dictionary and returns that of the next version; several
make a chain.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from penstock.messaging.events.event import check_name, check_version

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Upcaster", "upcast"]


@dataclass(frozen=True, slots=True)
class Upcaster:
    """Brings the content of one version of an event to the next."""

    name: str
    #: The version it starts from; it ends at the next.
    version: int
    function: Callable[[dict[str, Any]], dict[str, Any]]

    def __call__(self, content: dict[str, Any]) -> dict[str, Any]:
        """The content, one version on."""
        return self.function(content)


def upcast(name: str, version: int) -> Callable[[Callable[[dict[str, Any]], dict[str, Any]]], Upcaster]:
    """Make a function an up-caster of an event from this version to the next.

    It then stands in `@event(…, upcasters=[…])`, or is added to a registry.

    Raises:
        MessagingError: the name or the version cannot be.
    """
    check_name(name)
    check_version(name, version)

    def declare(function: Callable[[dict[str, Any]], dict[str, Any]]) -> Upcaster:
        return Upcaster(name, version, function)

    return declare
