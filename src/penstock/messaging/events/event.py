"""Events: what an application's messages are called, and the classes that say what stands in them.

A class is marked, nothing more; which events an application knows is the business of its registry. A
message's content never decides which code runs: it has a name, and the registry knows it or does not.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeVar

from penstock.errors import MessagingError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from penstock.messaging.events.upcasting import Upcaster

__all__ = ["EventType", "event", "event_type", "is_event"]

T = TypeVar("T")

#: Where a class keeps what it was declared as.
_MARK: Final = "__penstock_event__"

#: A name is a routing key as well: no wildcards in it, and short enough for AMQP with room for a suffix.
_NAME: Final = re.compile(r"[A-Za-z0-9_:-]+(\.[A-Za-z0-9_:-]+)*")
LONGEST_NAME: Final = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class EventType:
    """What a class was declared as."""

    name: str
    version: int
    python_type: type[Any]
    #: They bring older versions up to this one.
    upcasters: tuple[Upcaster, ...] = ()


def event(name: str, *, version: int = 1, upcasters: Iterable[Upcaster] = ()) -> Callable[[type[T]], type[T]]:
    """Declare a msgspec struct, a dataclass or a pydantic model as an event.

    Args:
        name: What the message's type and, unless a publisher says otherwise, its routing key is.
        version: Raised when the content changes so that older readers or writers would be wrong.
        upcasters: Made with `upcast`; they bring older versions up to this one.

    Raises:
        MessagingError: the name or the version cannot be.
    """
    check_name(name)
    check_version(name, version)

    def declare(python_type: type[T]) -> type[T]:
        declared = EventType(name=name, version=version, python_type=python_type, upcasters=tuple(upcasters))
        setattr(python_type, _MARK, declared)
        return python_type

    return declare


def is_event(python_type: type[Any]) -> bool:
    """Whether a class itself, and not one it inherits from, was declared as an event."""
    return _MARK in vars(python_type)


def event_type(python_type: type[Any]) -> EventType:
    """What a class was declared as.

    Raises:
        MessagingError: it was not.
    """
    # A subclass has fields of its own, and is another event, or none.
    declared = vars(python_type).get(_MARK)
    if not isinstance(declared, EventType):
        raise MessagingError(
            f"{python_type.__qualname__} is no event: declare it with @event({python_type.__name__!r})"
        )
    return declared


def check_name(name: str) -> None:
    """Refuse what cannot be an event's name.

    Raises:
        MessagingError: saying what can.
    """
    if not _NAME.fullmatch(name) or len(name) > LONGEST_NAME:
        raise MessagingError(
            f"an event cannot be called {name!r}: letters, digits, _ - and : make a word,"
            f" and dots join words, {LONGEST_NAME} characters at most"
        )


def check_version(name: str, version: int) -> None:
    """Refuse what cannot be an event's version.

    Raises:
        MessagingError: saying what can.
    """
    if type(version) is not int or version < 1:
        raise MessagingError(f"version {version!r} of {name}: versions are whole numbers from 1 on")
