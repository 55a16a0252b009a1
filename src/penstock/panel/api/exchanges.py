"""Exchanges: the proxies as AMQP has them; listed, shown, declared, deleted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from penstock.broker.host import PASSAGE
from penstock.errors import UnknownProxy
from penstock.panel.api.bindings import DEFAULT
from penstock.panel.api.changing import do
from penstock.panel.api.figures import passed_told
from penstock.panel.api.listing import flag, listed, one
from penstock.panel.api.samples import Asked
from penstock.panel.replies import DONE, MADE
from penstock.server.amqp.declared import ExchangeDeclared
from penstock.wire.amqp.methods import ExchangeDeclare, ExchangeDelete
from penstock.wire.amqp.table import decode_table

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.broker.host import VirtualHost
    from penstock.panel.replies import Reply
    from penstock.panel.visit import Visit
    from penstock.wiring import Proxy

__all__ = ["ExchangeBody", "delete_exchange", "get_exchange", "list_exchanges", "put_exchange"]

_Place = tuple["VirtualHost", "Proxy"]
_KEYS: Final[dict[str, Callable[[_Place], Any]]] = {
    "name": lambda place: place[1].name,
    "vhost": lambda place: place[0].name,
}


class ExchangeBody(msgspec.Struct):
    """What an exchange is declared with."""

    type: str = "direct"
    durable: bool = True
    auto_delete: bool = False
    internal: bool = False
    arguments: dict[str, Any] = {}


async def list_exchanges(visit: Visit, vhost: str | None = None) -> Reply:
    """All exchanges, or those of a virtual host."""
    hosts = visit.hosts() if vhost is None else [visit.host(vhost)]
    places = [
        (host, proxy)
        for host in hosts
        for proxy in host.wiring.proxies.values()
        # What a binding with a selector leads through is told with the binding.
        if not proxy.name.startswith(PASSAGE)
    ]
    return await listed(visit, places, _row(visit), name=lambda place: place[1].name, keys=_KEYS)


async def get_exchange(visit: Visit, vhost: str, name: str) -> Reply:
    """One exchange."""
    host = visit.host(vhost)
    return one(visit, _row(visit)((host, _find(host, name))) | {"incoming": [], "outgoing": []})


async def put_exchange(visit: Visit, vhost: str, name: str) -> Reply:
    """Declare an exchange."""
    body: ExchangeBody = visit.body
    is_new = name not in visit.host(vhost).wiring.proxies
    declare = ExchangeDeclare(
        "" if name == DEFAULT else name,
        body.type,
        durable=body.durable,
        auto_delete=body.auto_delete,
        internal=body.internal,
        arguments=body.arguments,
    )
    await do(visit, vhost, declare)
    return MADE if is_new else DONE


async def delete_exchange(visit: Visit, vhost: str, name: str) -> Reply:
    """Delete an exchange, if nothing is bound to it where that is asked for."""
    proxy = _find(visit.host(vhost), name)
    await do(visit, vhost, ExchangeDelete(proxy.name, if_unused=flag(visit.query, "if-unused")))
    return DONE


def _find(host: VirtualHost, name: str) -> Proxy:
    proxy = host.wiring.proxies.get("" if name == DEFAULT else name)
    if proxy is None:
        raise UnknownProxy(f"there is no exchange '{name}' in virtual host '{host.name}'")
    return proxy


def _row(visit: Visit) -> Callable[[_Place], dict[str, Any]]:
    statistics, now, asked = visit.broker.statistics, visit.broker.now, Asked.by(visit)

    def row(place: _Place) -> dict[str, Any]:
        host, proxy = place
        declared = ExchangeDeclared.read(proxy)
        passed, rates = statistics.proxy(proxy, now)
        return {
            "name": proxy.name,
            "vhost": host.name,
            "type": declared.type,
            "class": proxy.class_name,
            "durable": declared.durable,
            "auto_delete": declared.auto_delete,
            "internal": declared.internal,
            "arguments": decode_table(declared.arguments)[0],
            "policy": None,
            "message_stats": passed_told(passed, rates, asked.past("msg_rates", visit, proxy, passed)),
        }

    return row
