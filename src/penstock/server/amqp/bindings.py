"""Bindings: AMQP's registrations, told apart by routing key and arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.server.amqp.exchange_types import EXCHANGE_TYPES, SELECTOR_ARGUMENT
from penstock.wire.amqp.table import encode_table
from penstock.wiring import Queue

if TYPE_CHECKING:
    from penstock.broker.host import VirtualHost
    from penstock.wire.amqp.table import Table
    from penstock.wiring import Proxy

__all__ = ["bind", "unbind"]

_PATTERNS = {found.class_name: found.pattern for found in EXCHANGE_TYPES.values()}


def bind(host: VirtualHost, target: Queue | Proxy, exchange: Proxy, key: str, arguments: Table) -> None:
    """Let messages of an exchange flow to a queue or exchange."""
    pattern = _pattern(exchange, key, arguments)
    selector = _selector(exchange, arguments)
    if selector is not None:
        target = _behind_selector(host, target, exchange, selector)
    host.register(target, exchange.name, pattern, _identity(key, arguments))


def unbind(host: VirtualHost, target: Queue | Proxy, exchange: Proxy, key: str, arguments: Table) -> None:
    """End a binding; one that is not there is no mistake."""
    pattern, identity = _pattern(exchange, key, arguments), _identity(key, arguments)
    selector = _selector(exchange, arguments)
    if selector is None:
        host.unregister(target, exchange.name, pattern, identity)
        return
    between = host.wiring.proxies.get(_between(target, exchange, selector))
    if between is not None:
        host.unregister(between, exchange.name, pattern, identity)
        if not between.registered_with:
            # Nothing comes that way any more: it goes with its last registration.
            host.unregister(target, between.name, selector, b"")


def _pattern(exchange: Proxy, key: str, arguments: Table) -> Any:
    return _PATTERNS.get(exchange.class_name, _PATTERNS["DEST-NAME"])(key, arguments)


def _identity(key: str, arguments: Table) -> bytes:
    ordered = {name: arguments[name] for name in sorted(arguments)}
    return key.encode("utf-8", "surrogateescape") + b"\0" + encode_table(ordered)


# A selector beside what the exchange itself goes by


def _selector(exchange: Proxy, arguments: Table) -> str | None:
    selector = arguments.get(SELECTOR_ARGUMENT)
    return selector if isinstance(selector, str) and exchange.class_name != "SELECTOR" else None


def _between(target: Queue | Proxy, exchange: Proxy, selector: str) -> str:
    return f"amq.selector {exchange.name} {target.name} {selector}"


def _behind_selector(host: VirtualHost, target: Queue | Proxy, exchange: Proxy, selector: str) -> Proxy:
    """A selector on a binding is a SELECTOR proxy in between, which goes with what it stands before."""
    lasts = target.template.persistent if isinstance(target, Queue) else target.persistent
    between = host.create_proxy(
        _between(target, exchange, selector),
        "SELECTOR",
        persistent=exchange.persistent and lasts,
        dynamic=True,
        internal=True,
    )
    host.register(target, between.name, selector, b"")
    return between
