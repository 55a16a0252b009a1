"""AMQP's exchange types as proxy classes, and where each finds the pattern in a binding: one table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from penstock.server.amqp.errors import ChannelFault, precondition
from penstock.server.amqp.wording import shown, type_name
from penstock.wire.amqp.constants import ReplyCode

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.wire.amqp.table import Table

__all__ = ["EXCHANGE_TYPES", "SELECTOR_ARGUMENT", "TYPE_OF_CLASS", "ExchangeType", "exchange_type"]

#: Qpid's name for a selector on a binding.
SELECTOR_ARGUMENT: Final = "x-filter-jms-selector"
#: The archived delayed-message plugin's type, which is what its argument names; any exchange delays here.
DELAYED: Final = "x-delayed-message"
MATCHES: Final = ("all", "any", "all-with-x", "any-with-x")


class ExchangeType(NamedTuple):
    """A proxy class, and where a binding's pattern is found."""

    class_name: str
    pattern: Callable[[str, Table], Any]


def _by_key(key: str, arguments: Table) -> Any:
    return key


def _by_arguments(key: str, arguments: Table) -> Any:
    match = arguments.get("x-match", "all")
    if not isinstance(match, str):
        told = f"{type_name(match)} (value {shown(match)}); expected longstr"
        raise precondition(f"Invalid x-match field type {told}")
    if match not in MATCHES:
        ways = "expected all, any, all-with-x, or any-with-x"
        raise precondition(f"Invalid x-match field value {shown(match)}; {ways}")
    return {name: value for name, value in arguments.items() if name != SELECTOR_ARGUMENT}


def _everything(key: str, arguments: Table) -> Any:
    return None


def _by_selector(key: str, arguments: Table) -> Any:
    return arguments.get(SELECTOR_ARGUMENT, key)


EXCHANGE_TYPES: Final[dict[str, ExchangeType]] = {
    "direct": ExchangeType("DEST-NAME", _by_key),
    "fanout": ExchangeType("FANOUT", _everything),
    "topic": ExchangeType("DEST-WILD", _by_key),
    "headers": ExchangeType("PROP-TEST", _by_arguments),
    # Beyond RabbitMQ
    "x-prop-wild": ExchangeType("PROP-WILD", _by_arguments),
    "x-selector": ExchangeType("SELECTOR", _by_selector),
    "x-lossy": ExchangeType("LOSSY", _everything),
}
#: A proxy that AMQP did not declare is of this type for it.
TYPE_OF_CLASS: Final = {found.class_name: name for name, found in EXCHANGE_TYPES.items()}


def exchange_type(name: str, arguments: Table) -> ExchangeType:
    """What an exchange of this type is.

    Raises:
        ChannelFault: 503, there is no such type.
    """
    if name == DELAYED:
        delayed = arguments.get("x-delayed-type")
        if not isinstance(delayed, str) or delayed not in EXCHANGE_TYPES:
            # The plugin's words.
            raise precondition("Invalid argument, 'x-delayed-type' must be an existing exchange type")
        name = delayed
    found = EXCHANGE_TYPES.get(name)
    if found is None:
        raise ChannelFault(ReplyCode.PRECONDITION_FAILED, f"unknown exchange type '{name}'")
    return found
