"""Bindings: AMQP's registrations, told apart by routing key and arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.broker.host import PASSAGE
from penstock.server.amqp.exchange_types import EXCHANGE_TYPES, SELECTOR_ARGUMENT
from penstock.wire.amqp.table import decode_table, encode_table
from penstock.wiring import Queue

if TYPE_CHECKING:
    from penstock.broker.host import VirtualHost
    from penstock.wire.amqp.table import Table
    from penstock.wiring import Proxy

__all__ = ["bind", "read_identity", "unbind"]

_PATTERNS = {found.class_name: found.pattern for found in EXCHANGE_TYPES.values()}


def bind(host: VirtualHost, target: Queue | Proxy, exchange: Proxy, key: str, arguments: Table) -> None:
    """Let messages of an exchange flow to a queue or exchange."""
    pattern, identity = _pattern(exchange, key, arguments), _identity(key, arguments)
    selector = _selector(exchange, arguments)
    if selector is None:
        host.register(target, exchange.name, pattern, identity)
        return
    between = _create_between(host, target, exchange, selector)
    try:
        host.register(target, between.name, selector, b"")
        host.register(between, exchange.name, pattern, identity)
    finally:
        # Whatever of it was refused, nothing stays behind that leads nowhere.
        host.end_passage(between.name)
        host.clear_away()


def unbind(host: VirtualHost, target: Queue | Proxy, exchange: Proxy, key: str, arguments: Table) -> None:
    """End a binding; one that is not there is no mistake."""
    selector = _selector(exchange, arguments)
    end = target if selector is None else host.wiring.proxies.get(_between(target, exchange, selector))
    if end is not None:
        host.unregister(end, exchange.name, _pattern(exchange, key, arguments), _identity(key, arguments))


def _pattern(exchange: Proxy, key: str, arguments: Table) -> Any:
    return _PATTERNS.get(exchange.class_name, _PATTERNS["DEST-NAME"])(key, arguments)


def _identity(key: str, arguments: Table) -> bytes:
    ordered = {name: arguments[name] for name in sorted(arguments)}
    return key.encode("utf-8", "surrogateescape") + b"\0" + encode_table(ordered)


def read_identity(identity: bytes, pattern: Any) -> tuple[str, Table]:
    """The key and the arguments that a binding was made with; a template's registration has its pattern."""
    at = identity.find(b"\0")
    while at >= 0:
        # A key may have zeros itself: behind the right one stands a table, and nothing else.
        table_at = at + 5
        if int.from_bytes(identity[at + 1 : table_at], "big") == len(identity) - table_at:
            return identity[:at].decode("utf-8", "surrogateescape"), decode_table(identity, at + 1)[0]
        at = identity.find(b"\0", at + 1)
    return (pattern if isinstance(pattern, str) else ""), {}


# A selector beside what the exchange itself goes by


def _selector(exchange: Proxy, arguments: Table) -> str | None:
    selector = arguments.get(SELECTOR_ARGUMENT)
    return selector if isinstance(selector, str) and exchange.class_name != "SELECTOR" else None


def _between(target: Queue | Proxy, exchange: Proxy, selector: str) -> str:
    """Its name; quoted, so that no two ends with spaces in their names share one."""
    kind = "queue" if isinstance(target, Queue) else "exchange"
    return f"{PASSAGE}{exchange.name!r} {kind} {target.name!r} {selector}"


def _create_between(host: VirtualHost, target: Queue | Proxy, exchange: Proxy, selector: str) -> Proxy:
    """A selector on a binding is a SELECTOR proxy in between, which goes with what is on either side."""
    lasts = target.template.persistent if isinstance(target, Queue) else target.persistent
    return host.create_proxy(
        _between(target, exchange, selector),
        "SELECTOR",
        persistent=exchange.persistent and lasts,
        dynamic=True,
        internal=True,
    )
