"""The table of verbs: an AMQP method's class → what the server does, and answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.wire.amqp.methods import Method

__all__ = ["VERBS", "verb"]

#: Each takes the channel (or, for the connection's own, the session) and the method; it returns the
#: answer, or None if there is none or it comes later. A PenstockError it raises closes the channel.
VERBS: Final[dict[type[Method], Callable[[Any, Any], Method | None]]] = {}

F = TypeVar("F", bound="Callable[[Any, Any], Method | None]")


def verb(method: type[Method]) -> Callable[[F], F]:
    """This function does that method."""

    def enter(function: F) -> F:
        VERBS[method] = function
        return function

    return enter
