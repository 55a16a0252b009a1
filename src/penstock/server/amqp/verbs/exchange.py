"""exchange.*: proxies, in AMQP's words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from penstock.server.amqp.bindings import bind, unbind
from penstock.server.amqp.declared import ExchangeDeclared
from penstock.server.amqp.errors import ChannelFault, precondition
from penstock.server.amqp.exchange_types import exchange_type
from penstock.server.amqp.verbs.table import verb
from penstock.server.amqp.wording import type_name
from penstock.server.operations import Operation
from penstock.wire.amqp.constants import ReplyCode
from penstock.wire.amqp.methods import (
    ExchangeBind,
    ExchangeBindOk,
    ExchangeDeclare,
    ExchangeDeclareOk,
    ExchangeDelete,
    ExchangeDeleteOk,
    ExchangeUnbind,
    ExchangeUnbindOk,
)

if TYPE_CHECKING:
    from penstock.server.amqp.channel import Channel

__all__ = ["clean", "declare", "delete", "refuse_default"]

#: Names that begin so are the broker's own.
RESERVED: Final = "amq."
#: Arguments that become a proxy's properties.
PROPERTIES: Final = {"LOSSY": {"x-drop": "drop", "x-seed": "seed"}}


def clean(name: str) -> str:
    """A name without line breaks: RabbitMQ takes them out of what is declared."""
    return name.replace("\r", "").replace("\n", "")


def refuse_default(name: str) -> None:
    """Nobody may change the default exchange, nor bind to it."""
    if not name:
        raise ChannelFault(ReplyCode.ACCESS_REFUSED, "operation not permitted on the default exchange")


@verb(ExchangeDeclare)
def declare(channel: Channel, method: ExchangeDeclare) -> ExchangeDeclareOk:
    """Make an exchange, or check that it is there and alike."""
    name = clean(method.exchange)
    if method.passive:
        refuse_default(name)
        channel.check(Operation.EXCHANGE_DECLARE_PASSIVE, name)
        channel.exchange(name)
        return ExchangeDeclareOk()
    class_name = exchange_type(method.type, method.arguments).class_name
    refuse_default(name)
    channel.check(Operation.EXCHANGE_DECLARE, name)
    declared = ExchangeDeclared.of(method)
    existing = channel.host.wiring.proxies.get(name)
    if existing is None:
        _create(channel, name, class_name, method, declared)
    else:
        declared.demand_same(existing, channel.spoken(name))
    return ExchangeDeclareOk()


def _create(
    channel: Channel, name: str, class_name: str, method: ExchangeDeclare, declared: ExchangeDeclared
) -> None:
    if name.startswith(RESERVED):
        detail = f"exchange name '{name}' contains reserved prefix 'amq.*'"
        raise ChannelFault(ReplyCode.ACCESS_REFUSED, detail)
    own = PROPERTIES.get(class_name, {})
    channel.host.create_proxy(
        name,
        class_name,
        persistent=method.durable,
        dynamic=method.auto_delete,
        internal=method.internal,
        alternate=_alternate(channel, name, method),
        remarks=declared.encoded(),
        **{own[key]: value for key, value in method.arguments.items() if key in own},
    )


def _alternate(channel: Channel, name: str, method: ExchangeDeclare) -> str | None:
    if "alternate-exchange" not in method.arguments:
        return None
    alternate = method.arguments["alternate-exchange"]
    if not isinstance(alternate, str):
        told = f"invalid type '{type_name(alternate)}' for arg 'alternate-exchange'"
        raise precondition(f"{told} in exchange {channel.spoken(name)}")
    channel.check(Operation.EXCHANGE_ALTERNATE, name, alternate)
    return alternate


@verb(ExchangeDelete)
def delete(channel: Channel, method: ExchangeDelete) -> ExchangeDeleteOk:
    """Remove an exchange; one that is not there is no mistake."""
    name = clean(method.exchange)
    refuse_default(name)
    if name.startswith(RESERVED):
        detail = f"deletion of system exchange {channel.spoken(name)} not allowed"
        raise ChannelFault(ReplyCode.ACCESS_REFUSED, detail)
    channel.check(Operation.EXCHANGE_DELETE, name)
    host = channel.host
    existing = host.wiring.proxies.get(name)
    if existing is not None:
        if method.if_unused and existing.registrations:
            raise precondition(f"exchange {channel.spoken(name)} in use")
        host.wiring.destroy_proxy(name)
        host.clear_away()
    return ExchangeDeleteOk()


@verb(ExchangeBind)
def bind_exchange(channel: Channel, method: ExchangeBind) -> ExchangeBindOk:
    """Let messages of one exchange flow to another."""
    _check_ends(channel, Operation.EXCHANGE_BIND, method)
    destination, source = channel.exchange(method.destination), channel.exchange(method.source)
    channel.check_topic("read", source, method.routing_key)
    bind(channel.host, destination, source, method.routing_key, method.arguments)
    return ExchangeBindOk()


@verb(ExchangeUnbind)
def unbind_exchange(channel: Channel, method: ExchangeUnbind) -> ExchangeUnbindOk:
    """End such a binding; one that is not there is no mistake, whatever of it is missing."""
    _check_ends(channel, Operation.EXCHANGE_UNBIND, method)
    proxies = channel.host.wiring.proxies
    destination, source = proxies.get(method.destination), proxies.get(method.source)
    if destination is not None and source is not None:
        channel.check_topic("read", source, method.routing_key)
        unbind(channel.host, destination, source, method.routing_key, method.arguments)
    return ExchangeUnbindOk()


def _check_ends(channel: Channel, operation: Operation, method: ExchangeBind | ExchangeUnbind) -> None:
    for name in (method.source, method.destination):
        refuse_default(name)
    channel.check(operation, method.destination, method.source)
