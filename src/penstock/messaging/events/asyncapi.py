"""An AsyncAPI 3 document of an application: what it sends and receives, over which queues, and what it means.

The document is a dictionary for whoever writes it down. Every event is a message with its schema; every
publication an operation that sends, every subscription one that receives.
https://www.asyncapi.com/docs/reference/specification/v3.0.0
"""

from __future__ import annotations

import inspect
import re
from typing import TYPE_CHECKING, Any, Final

from penstock.messaging.events.registry import JSON
from penstock.messaging.headers import TYPE_VERSION
from penstock.messaging.topology.routing import reached

if TYPE_CHECKING:
    from penstock.client import BrokerUrl
    from penstock.messaging.events.event import EventType
    from penstock.messaging.events.registry import Registry
    from penstock.messaging.topology.model import Publication, Subscription, Topology

__all__ = ["asyncapi"]

VERSION: Final = "3.0.0"
#: Of https://github.com/asyncapi/bindings/tree/master/amqp.
BINDING: Final = "0.3.0"
#: The types of exchange that it knows.
TYPES: Final = ("topic", "direct", "fanout", "headers")


def asyncapi(
    title: str, version: str, registry: Registry, topology: Topology, url: BrokerUrl | None = None
) -> dict[str, Any]:
    """The document.

    Args:
        title: The application's name.
        version: Of the application.
        registry: Its events.
        topology: Where they go and come from.
        url: The broker, if it is to be told; never the password.
    """
    out = [way for way in topology.publications if way.key in registry]
    known = [_Incoming(each, registry, topology) for each in topology.subscriptions]
    incoming = [each for each in known if each.events]
    document: dict[str, Any] = {
        "asyncapi": VERSION,
        "info": {"title": title, "version": version},
        "defaultContentType": JSON,
        "channels": {
            **{f"publish.{_key(way.name)}": _outgoing_channel(way, topology) for way in out},
            **{f"queue.{_key(each.queue)}": each.channel() for each in incoming},
        },
        "operations": {
            **{f"send.{_key(way.name)}": _send(way) for way in out},
            **{f"receive.{_key(each.name)}": each.operation() for each in incoming},
        },
        "components": {
            "messages": {_key(each.name): _message(each, registry) for each in registry},
            "schemas": {name: part for each in registry for name, part in _schemas(each, registry)},
        },
    }
    if url is not None:
        document["servers"] = {"broker": _server(url)}
    return document


def _server(url: BrokerUrl) -> dict[str, Any]:
    found = {"host": f"{url.host}:{url.port}", "protocol": "amqps" if url.is_tls else "amqp"}
    return {**found, "protocolVersion": "0.9.1", "pathname": f"/{url.virtual_host.removeprefix('/')}"}


# What goes out


def _outgoing_channel(way: Publication, topology: Topology) -> dict[str, Any]:
    name = _key(str(way.key))
    found = next((each for each in topology.exchanges if each.name == way.exchange), None)
    exchange: dict[str, Any] = {"name": way.exchange}
    if found is not None:
        exchange |= {"durable": found.durable, "autoDelete": found.auto_delete}
        exchange |= {"type": found.type} if found.type in TYPES else {}
    return {
        "address": way.key,
        "messages": {name: {"$ref": f"#/components/messages/{name}"}},
        "bindings": {"amqp": {"is": "routingKey", "exchange": exchange, "bindingVersion": BINDING}},
    }


def _send(way: Publication) -> dict[str, Any]:
    channel, name = f"publish.{_key(way.name)}", _key(str(way.key))
    return {
        "action": "send",
        "channel": {"$ref": f"#/channels/{channel}"},
        "messages": [{"$ref": f"#/channels/{channel}/messages/{name}"}],
        "bindings": {"amqp": {"deliveryMode": 2, "mandatory": True, "bindingVersion": BINDING}},
    }


# What comes in


class _Incoming:
    """A subscription, with the events that reach its queue."""

    def __init__(self, subscription: Subscription, registry: Registry, topology: Topology) -> None:
        self.name = subscription.name
        self.queue = subscription.queue
        self._declared = next((each for each in topology.queues if each.name == self.queue), None)
        ways = [way for way in topology.publications if way.key in registry]
        self.events = [
            _key(str(way.key)) for way in ways if self._is_reached(topology, way.exchange, str(way.key))
        ]

    def _is_reached(self, topology: Topology, exchange: str, key: str) -> bool:
        """Whether an event, or one that somebody publishes with more words to its key, gets here."""
        if self.queue in reached(topology, exchange, key):
            return True
        patterns = (each.routing_key for each in topology.bindings if each.target == self.queue)
        return any(pattern.startswith(f"{key}.") for pattern in patterns)

    def channel(self) -> dict[str, Any]:
        queue: dict[str, Any] = {"name": self.queue}
        if self._declared is not None:
            queue["durable"] = self._declared.durable
            queue["exclusive"] = self._declared.exclusive
            queue["autoDelete"] = self._declared.auto_delete
        return {
            "address": self.queue,
            "messages": {name: {"$ref": f"#/components/messages/{name}"} for name in self.events},
            "bindings": {"amqp": {"is": "queue", "queue": queue, "bindingVersion": BINDING}},
        }

    def operation(self) -> dict[str, Any]:
        channel = f"#/channels/queue.{_key(self.queue)}"
        return {
            "action": "receive",
            "channel": {"$ref": channel},
            "messages": [{"$ref": f"{channel}/messages/{name}"} for name in self.events],
            "bindings": {"amqp": {"ack": True, "bindingVersion": BINDING}},
        }


# Messages and schemas


def _message(declared: EventType, registry: Registry) -> dict[str, Any]:
    version = {"type": "integer", "minimum": registry.oldest_version(declared.name)}
    found = {
        "name": declared.name,
        "title": f"{declared.name} version {declared.version}",
        "contentType": JSON,
        "headers": {
            "type": "object",
            "properties": {TYPE_VERSION: {**version, "maximum": declared.version}},
        },
        "payload": {"$ref": f"#/components/schemas/{_key(declared.name)}"},
    }
    summary = inspect.getdoc(declared.python_type)
    # A dataclass without words of its own is described by its signature, which says nothing here.
    if summary and not summary.startswith(f"{declared.python_type.__name__}("):
        found["summary"] = summary.partition("\n")[0]
    return found


def _schemas(declared: EventType, registry: Registry) -> list[tuple[str, Any]]:
    """An event's schema, and the parts it refers to, under names that are its own."""
    own = _key(declared.name)
    schema = registry.schema(declared.name)
    parts: dict[str, Any] = schema.pop("$defs", {})
    names = {f"#/$defs/{name}": f"{own}.{_key(name)}" for name in parts}
    if schema.keys() == {"$ref"}:
        # The class itself is one of the parts: it is the event.
        names[schema["$ref"]] = own
    else:
        parts = {**parts, "": schema}
        names["#/$defs/"] = own
    moved = {where: f"#/components/schemas/{name}" for where, name in names.items()}
    return [(names[f"#/$defs/{name}"], _moved(part, moved)) for name, part in parts.items()]


def _moved(part: Any, moved: dict[str, str]) -> Any:
    """The same schema with references that lead to where the parts are now."""
    if isinstance(part, list):
        return [_moved(each, moved) for each in part]
    if isinstance(part, dict):
        return {name: _moved(value, moved) for name, value in part.items()}
    return moved.get(part, part) if isinstance(part, str) else part


def _key(name: str) -> str:
    """A name as the document can have it for a key."""
    return re.sub(r"[^A-Za-z0-9._-]", "_", name)
