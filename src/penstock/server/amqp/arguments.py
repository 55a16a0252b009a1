"""What a queue's optional arguments mean in the wiring's words: one table.

Arguments nobody knows are kept and ignored, as RabbitMQ does; known ones with values that cannot be are
refused with 406, in its words (rabbit_amqqueue.erl, declare_args).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from penstock.server.amqp.errors import precondition
from penstock.server.amqp.terms import HIGHEST, LONGEST_MS
from penstock.server.amqp.wording import type_name
from penstock.wiring import DeadLetters, Overflow

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.wire.amqp.table import Table

__all__ = ["QUEUE_ARGUMENTS", "QUORUM", "is_quorum", "priority_of", "queue_changes"]

QUORUM: Final = "quorum"
#: RabbitMQ's queue types are accepted: what a quorum queue promises, a durable one here keeps.
QUEUE_TYPES: Final = ("classic", QUORUM)
#: The argument's value for no limit (RabbitMQ 4.0).
UNLIMITED: Final = -1


class Unfit(ValueError):
    """A value an argument cannot have; the reason as RabbitMQ words it."""


def _whole(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise Unfit(f'"expected integer, got {type_name(value)}"')
    return value


def _count(value: Any) -> int:
    if _whole(value) < 0:
        raise Unfit(f"{{value_negative,{value}}}")
    return int(value)


def _milliseconds(value: Any) -> float:
    if _count(value) > LONGEST_MS:
        raise Unfit(f"{{value_too_large,{value}}}")
    return int(value) / 1000


def _some_milliseconds(value: Any) -> float:
    if _whole(value) == 0:
        raise Unfit("{value_zero,0}")
    return _milliseconds(value)


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise Unfit(f"{{unacceptable_type,{type_name(value)}}}")
    return value


def _urgency(value: Any) -> int:
    if _count(value) > HIGHEST:
        raise Unfit(f"{{max_value_exceeded,{value}}}")
    return HIGHEST - int(value)


def _limit(value: Any) -> int | None:
    return None if value == UNLIMITED else _count(value)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise Unfit(f"{{unacceptable_type,{type_name(value)}}}")
    return value


def _overflow(value: Any) -> Overflow:
    if _text(value) not in {known.value for known in Overflow}:
        raise Unfit("invalid_overflow")
    return Overflow(value)


def _queue_type(value: Any) -> str:
    if _text(value) not in QUEUE_TYPES:
        raise Unfit(f"\"unsupported queue type '{value}'\"")
    return str(value)


class Argument(NamedTuple):
    """How an argument is read, and the template's property it sets; None if it stands for no single one."""

    read: Callable[[Any], Any]
    sets: str | None = None
    #: The one queue type that has it; every type if it is empty.
    only: str = ""


#: In RabbitMQ's order, since the first that differs or does not fit is told.
QUEUE_ARGUMENTS: Final[dict[str, Argument]] = {
    "x-queue-type": Argument(_queue_type),
    "x-expires": Argument(_some_milliseconds, "unused_in"),
    "x-message-ttl": Argument(_milliseconds, "expires_in"),
    "x-dead-letter-exchange": Argument(_text),
    "x-dead-letter-routing-key": Argument(_text),
    "x-dead-letter-strategy": Argument(_text, only=QUORUM),
    "x-max-length": Argument(_count, "max_length"),
    "x-max-length-bytes": Argument(_count, "max_bytes"),
    "x-max-in-memory-length": Argument(_count, only=QUORUM),
    "x-max-in-memory-bytes": Argument(_count, only=QUORUM),
    "x-max-priority": Argument(_urgency, "most_urgent", only="classic"),
    "x-overflow": Argument(_overflow, "overflow"),
    "x-single-active-consumer": Argument(_flag, "single_active"),
    "x-consumer-timeout": Argument(_some_milliseconds, "lease_in"),
    "x-quorum-initial-group-size": Argument(_count, only=QUORUM),
    "x-delivery-limit": Argument(_limit, "delivery_limit", only=QUORUM),
    # Beyond RabbitMQ
    "x-template": Argument(_text),
    "x-max-consumers": Argument(_count, "max_consumers"),
}


def is_quorum(arguments: Table) -> bool:
    """Whether a queue of RabbitMQ's quorum type is asked for: durable, and counting deliveries."""
    return arguments.get("x-queue-type") == QUORUM


def queue_changes(arguments: Table, *, owner: str, delivery_limit: int | None) -> dict[str, Any]:
    """The changes to a template that a queue's arguments ask for.

    Args:
        owner: the queue, as an error names it: "queue 'q' in vhost '/'".
        delivery_limit: of a quorum queue that sets none.

    Raises:
        ChannelFault: 406, an argument has a value it cannot have.
    """
    _refuse_exchange_of_no_name(arguments, owner)
    read = {
        name: _read(name, argument, arguments[name], owner)
        for name, argument in QUEUE_ARGUMENTS.items()
        if name in arguments
    }
    _refuse_of_other_type(read, owner)
    changes = {argument.sets: read[name] for name, argument in QUEUE_ARGUMENTS.items() if name in read}
    changes.pop(None, None)
    if "x-template" not in read:
        # A queue that asks for no priorities keeps the order; a template says so itself.
        changes.setdefault("most_urgent", HIGHEST)
    if is_quorum(arguments):
        changes.setdefault("delivery_limit", delivery_limit)
    if (home := _home(read, owner)) is not None:
        changes["dead_letters"] = home
    return {str(name): value for name, value in changes.items()}


def _read(name: str, argument: Argument, value: Any, owner: str) -> Any:
    try:
        return argument.read(value)
    except Unfit as wrong:
        raise precondition(f"invalid arg '{name}' for {owner}: {wrong}") from wrong


def _refuse_exchange_of_no_name(arguments: Table, owner: str) -> None:
    """RabbitMQ has words of its own for this one, and says them first."""
    name = "x-dead-letter-exchange"
    if name in arguments and not isinstance(arguments[name], str):
        raise precondition(f"invalid type '{type_name(arguments[name])}' for arg '{name}' in {owner}")


def _refuse_of_other_type(read: dict[str, Any], owner: str) -> None:
    kind = read.get("x-queue-type", "classic")
    for name in read:
        if QUEUE_ARGUMENTS[name].only not in ("", kind):
            raise precondition(f"invalid arg '{name}' for {owner} of queue type rabbit_{kind}_queue")


def _home(read: dict[str, Any], owner: str) -> DeadLetters | None:
    key = read.get("x-dead-letter-routing-key")
    if "x-dead-letter-exchange" in read:
        return DeadLetters(read["x-dead-letter-exchange"], key)
    if key is not None:
        why = "routing_key_but_no_dlx_defined"
        raise precondition(f"invalid arg 'x-dead-letter-routing-key' for {owner}: {why}")
    return None


def priority_of(arguments: Table, *, owner: str) -> int:
    """A consumer's priority, 0 if it asks for none.

    Raises:
        ChannelFault: 406, it is no number.
    """
    priority: int = _read("x-priority", Argument(_whole), arguments.get("x-priority", 0), owner)
    return priority
