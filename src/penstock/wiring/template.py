"""Queue templates: what a queue is like, written once and referred to by name.

A template gives organisation and tuning, a default registration, and constraints. A queue created
with changes of its own gets a template of its own: whatever a queue is like stands in one of these.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from enum import Enum
from typing import Any, Final

from penstock.errors import BadConfiguration
from penstock.wiring.message import LOWEST_PRIORITY

__all__ = ["OWN_NAME", "DeadLetters", "DefaultRegistration", "Overflow", "Template"]


class Overflow(Enum):
    """What happens to a message that would exceed its queue's limits; the values are RabbitMQ's words."""

    #: The oldest makes room, and dies of it.
    DROP_HEAD = "drop-head"
    #: The newcomer is refused, and its publisher is told.
    REJECT_PUBLISH = "reject-publish"
    #: The newcomer is refused, its publisher is told, and it goes to the dead letters.
    DEAD_LETTER = "reject-publish-dlx"


class _OwnName(Enum):
    OWN_NAME = "the queue's own name"


#: As the pattern of a default registration: each queue registers with its own name.
OWN_NAME: Final = _OwnName.OWN_NAME


@dataclass(frozen=True, slots=True)
class DefaultRegistration:
    """Where every queue made from a template registers."""

    proxy: str
    pattern: Any = OWN_NAME


@dataclass(frozen=True, slots=True)
class DeadLetters:
    """The home of a queue's dead letters."""

    proxy: str
    #: None keeps the destination a message had.
    destination: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Template:
    """What a queue is like. None means no limit, or never."""

    # Organisation and tuning
    #: Stays when the broker stops and starts again.
    persistent: bool = False
    #: Goes when its last consumer leaves.
    dynamic: bool = False
    #: Goes when nobody has consumed, got or asked for it for so many seconds.
    unused_in: float | None = None
    max_length: int | None = None
    max_bytes: int | None = None
    overflow: Overflow = Overflow.DROP_HEAD
    dead_letters: DeadLetters | None = None
    #: Seconds a message lives in the queue.
    expires_in: float | None = None
    #: Seconds a consumer may have a message in hand before it goes back.
    lease_in: float | None = None
    #: How often consumers may fail on a message before it dies.
    delivery_limit: int | None = None
    #: Priorities more urgent than this count as this; LOWEST_PRIORITY makes the queue a plain FIFO.
    most_urgent: int = 0
    #: How many references stand in memory, as long as they are not too large; others go to the backlog.
    window: int | None = None
    #: Only one consumer at a time is served; the next takes over when it leaves.
    single_active: bool = False
    # Default registration
    registration: DefaultRegistration | None = None
    # Constraints
    max_consumers: int | None = None
    # What a front wants to know of the queue again, e.g. its arguments as declared; the wiring does not look.
    remarks: Any = field(default=None)

    def __post_init__(self) -> None:
        for name, kind in KINDS.items():
            value = getattr(self, name)
            if not isinstance(value, kind):
                wanted = getattr(kind, "__name__", kind)
                raise BadConfiguration(f"{name} is {value!r}: it takes {wanted}")
        for name, least in LEAST.items():
            value = getattr(self, name)
            if value is not None and not value >= least:
                raise BadConfiguration(f"{name} is {value!r}: it must be at least {least}, or None for none")
        if self.most_urgent > LOWEST_PRIORITY:
            raise BadConfiguration(
                f"most_urgent is {self.most_urgent}: the lowest priority is {LOWEST_PRIORITY}"
            )

    def changed(self, changes: dict[str, Any]) -> Template:
        """This template with changes.

        Raises:
            BadConfiguration: one of them is not a template's property.
        """
        known = {item.name for item in fields(self)}
        unknown = sorted(changes.keys() - known)
        if unknown:
            raise BadConfiguration(
                f"a queue has no property {', '.join(unknown)}; it knows: {', '.join(sorted(known))}"
            )
        return replace(self, **changes)

    def differences(self, wanted: Template) -> list[str]:
        """Where another template is not like this one, in words."""
        return [
            f"{item.name} is {getattr(self, item.name)!r}, not {getattr(wanted, item.name)!r}"
            for item in fields(self)
            if getattr(self, item.name) != getattr(wanted, item.name)
        ]


#: What each property is; numbers of messages and bytes are whole.
KINDS: Final = {
    "unused_in": int | float | None,
    "max_length": int | None,
    "max_bytes": int | None,
    "overflow": Overflow,
    "dead_letters": DeadLetters | None,
    "expires_in": int | float | None,
    "lease_in": int | float | None,
    "delivery_limit": int | None,
    "most_urgent": int,
    "window": int | None,
    "registration": DefaultRegistration | None,
    "max_consumers": int | None,
}
#: The least sensible value of each limit.
LEAST: Final = {
    "unused_in": 0.001,
    "max_length": 0,
    "max_bytes": 0,
    "expires_in": 0,
    "lease_in": 0.001,
    "delivery_limit": 0,
    "most_urgent": 0,
    "window": 1,
    "max_consumers": 0,
}
