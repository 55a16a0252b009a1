"""Bindings: what leads from which exchange to which queue or exchange, in all forms that RabbitMQ has."""

from __future__ import annotations

from base64 import urlsafe_b64encode
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from urllib.parse import quote, quote_plus

import msgspec

from penstock.errors import UnknownProxy
from penstock.panel.api.changing import do
from penstock.panel.api.listing import listed
from penstock.panel.api.queues import find_queue, is_shown
from penstock.panel.api.slices import chosen, gathered, mapped
from penstock.panel.replies import DONE, ApiFault, Reply, as_json, json_reply
from penstock.server.amqp.inventory import binding_defined, ways_of
from penstock.wire.amqp.methods import ExchangeBind, ExchangeUnbind, QueueBind, QueueUnbind

if TYPE_CHECKING:
    from penstock.broker.host import VirtualHost
    from penstock.panel.visit import Visit
    from penstock.server.amqp.inventory import Way
    from penstock.wire.amqp.methods import Method

__all__ = [
    "DEFAULT",
    "BindingBody",
    "delete_binding",
    "get_binding",
    "list_between",
    "list_bindings",
    "list_from",
    "list_of_queue",
    "list_to",
    "post_binding",
]

#: How the nameless exchange is called in paths.
DEFAULT: Final = "amq.default"
#: The letter in a path → what a binding leads to.
_KINDS: Final = {"q": "queue", "e": "exchange"}
Binding = dict[str, Any]


class BindingBody(msgspec.Struct):
    """What a binding is made with."""

    routing_key: str = ""
    arguments: dict[str, Any] = {}


async def list_bindings(visit: Visit, vhost: str | None = None) -> Reply:
    """All bindings, or those of a virtual host."""
    hosts = visit.hosts() if vhost is None else [visit.host(vhost)]
    return await listed(visit, [end for host in hosts for end in await _all(host)], _row)


async def list_of_queue(visit: Visit, vhost: str, name: str) -> Reply:
    """Those that lead to a queue."""
    host = visit.host(vhost)
    find_queue(host, name)
    return await _ending(visit, host, "q", name)


async def list_to(visit: Visit, vhost: str, name: str) -> Reply:
    """Those that lead to an exchange."""
    return await _ending(visit, visit.host(vhost), "e", _known(visit.host(vhost), name))


async def list_from(visit: Visit, vhost: str, name: str) -> Reply:
    """Those that lead from an exchange."""
    host = visit.host(vhost)
    source = _known(host, name)
    return await listed(visit, await chosen(await _all(host), lambda ends: ends.source == source), _row)


async def list_between(visit: Visit, vhost: str, source: str, kind: str, destination: str) -> Reply:
    """Those from an exchange to a queue or exchange."""
    host = visit.host(vhost)
    return await listed(visit, await _between(host, source, kind, destination), _row)


async def get_binding(
    visit: Visit, vhost: str, source: str, kind: str, destination: str, properties_key: str
) -> Reply:
    """One binding."""
    return json_reply(await _find(visit, vhost, source, kind, destination, properties_key))


async def post_binding(visit: Visit, vhost: str, source: str, kind: str, destination: str) -> Reply:
    """Make a binding; where it is then."""
    body: BindingBody = visit.body
    source, is_queue = _exchange(source), _kind(kind) == "queue"
    method: Method = (
        QueueBind(destination, source, body.routing_key, arguments=body.arguments)
        if is_queue
        else ExchangeBind(_exchange(destination), source, body.routing_key, arguments=body.arguments)
    )
    await do(visit, vhost, method)
    place = [
        vhost,
        "e",
        source or DEFAULT,
        kind,
        destination,
        _properties_key(body.routing_key, body.arguments),
    ]
    # RabbitMQ's, from where the request went to.
    location = "../../../../" + "/".join(quote(part, safe="") for part in place)
    return Reply(status=201, headers={"Location": location})


async def delete_binding(
    visit: Visit, vhost: str, source: str, kind: str, destination: str, properties_key: str
) -> Reply:
    """End a binding."""
    found = await _find(visit, vhost, source, kind, destination, properties_key)
    ends = found["destination"], found["source"], found["routing_key"]
    unbind = QueueUnbind if found["destination_type"] == "queue" else ExchangeUnbind
    await do(visit, vhost, unbind(*ends, arguments=found["arguments"]))
    return DONE


# Finding


class _Ends(NamedTuple):
    """A binding by its ends; what else it has is read when it is told."""

    source: str
    kind: str
    destination: str
    vhost: str
    #: None is that of a queue with its own name.
    way: Way | None


async def _all(host: VirtualHost) -> list[_Ends]:
    """All bindings of a virtual host, every queue's with its own name among them."""
    queues = await chosen(
        list(host.wiring.queues.values()), lambda queue: not queue.namespace and is_shown(queue)
    )
    own = await mapped(queues, lambda queue: _Ends("", "queue", queue.name, host.name, None))
    return own + await gathered(
        _Ends(way.asked.proxy, way.kind, way.end.target, host.name, way) for way in ways_of(host)
    )


def _row(ends: _Ends) -> Binding:
    if ends.way is not None:
        told = binding_defined(ends.way, ends.vhost)
    else:
        told = {
            "source": "",
            "vhost": ends.vhost,
            "destination": ends.destination,
            "destination_type": "queue",
            "routing_key": ends.destination,
            "arguments": {},
        }
    told["properties_key"] = _properties_key(told["routing_key"], told["arguments"])
    return told


async def _ending(visit: Visit, host: VirtualHost, kind: str, name: str) -> Reply:
    end = (_kind(kind), name)
    return await listed(visit, await chosen(await _all(host), lambda ends: ends[1:3] == end), _row)


async def _between(host: VirtualHost, source: str, kind: str, destination: str) -> list[_Ends]:
    ends = (_exchange(source), _kind(kind), destination)
    return await chosen(await _all(host), lambda each: each[:3] == ends)


async def _find(
    visit: Visit, vhost: str, source: str, kind: str, destination: str, properties_key: str
) -> Binding:
    for each in map(_row, await _between(visit.host(vhost), source, kind, destination)):
        # Some write it as it stands in a path, some as it stands in a list.
        if properties_key in (each["properties_key"], each["routing_key"] or "~"):
            return each
    raise ApiFault(404, f"there is no binding '{properties_key}' from '{source}' to '{destination}'")


def _properties_key(key: str, arguments: dict[str, Any]) -> str:
    """What tells a binding from others between the same ends."""
    shown = quote_plus(key.encode("utf-8", "surrogateescape"))
    if not arguments:
        return shown or "~"
    digest = blake2b(as_json(dict(sorted(arguments.items()))), digest_size=6).digest()
    return f"{shown}~{urlsafe_b64encode(digest).decode()}"


def _exchange(name: str) -> str:
    return "" if name == DEFAULT else name


def _known(host: VirtualHost, name: str) -> str:
    name = _exchange(name)
    if name not in host.wiring.proxies:
        raise UnknownProxy(f"there is no exchange '{name}' in virtual host '{host.name}'")
    return name


def _kind(letter: str) -> str:
    if letter not in _KINDS:
        raise ApiFault(404, f"a binding leads to a queue (q) or an exchange (e), not to {letter[:20]!r}")
    return _KINDS[letter]
