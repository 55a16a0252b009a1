"""A topology written in a TOML file.

Exchanges are topic exchanges unless they say otherwise. Bindings have a short form, `"e1[a,b] -> q1"`: the
exchange, the keys, and where to. What is said of `[defaults.queue]` and `[defaults.exchange]` goes for all.
"""

from __future__ import annotations

import re
import tomllib
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, Final

import msgspec

from penstock.client import Binding, Exchange, Queue
from penstock.errors import TopologyError
from penstock.messaging.topology.model import Publication, Subscription, Topology

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["load", "parse", "parse_binding"]

#: `source`, `source[key]` or `source[key, key]`, an arrow, and the target.
_SHORT: Final = re.compile(r"\s*(?P<source>[^\[\]]*?)\s*(\[(?P<keys>[^\[\]]*)\])?\s*->\s*(?P<target>.+?)\s*")
#: Exchanges that every broker has.
_EVERYWHERE: Final = "amq."


class _Strict(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    pass


class ExchangeTable(_Strict):
    """`[exchanges.NAME]`."""

    type: str = "topic"
    durable: bool = True
    auto_delete: bool = False
    internal: bool = False
    arguments: dict[str, Any] = {}


class QueueTable(_Strict):
    """`[queues.NAME]`."""

    durable: bool = True
    exclusive: bool = False
    auto_delete: bool = False
    arguments: dict[str, Any] = {}
    #: A queue that dead letters go to; the long form is in the arguments.
    dead_letters: str | None = None


class BindingTable(_Strict):
    """A binding in full: one that has arguments, or whose target is an exchange and a queue by name."""

    source: str
    target: str
    key: str | None = None
    arguments: dict[str, Any] = {}
    to_exchange: bool | None = None


class PublicationTable(_Strict):
    """`[publications.NAME]`."""

    exchange: str
    key: str | None = None


class SubscriptionTable(_Strict):
    """`[subscriptions.NAME]`."""

    queue: str


class Defaults(_Strict):
    """`[defaults.…]`: what goes for all that do not say otherwise."""

    exchange: dict[str, Any] = {}
    queue: dict[str, Any] = {}


class Document(_Strict):
    """The file."""

    bindings: list[str | BindingTable] = []
    defaults: Defaults = msgspec.field(default_factory=Defaults)
    exchanges: dict[str, dict[str, Any]] = {}
    queues: dict[str, dict[str, Any]] = {}
    publications: dict[str, PublicationTable] = {}
    subscriptions: dict[str, SubscriptionTable] = {}


def load(path: Path) -> Topology:
    """The topology in a file.

    Raises:
        TopologyError: the file cannot be read, or what it says cannot be.
    """
    try:
        return parse(path.read_text())
    except (OSError, UnicodeDecodeError) as exc:
        raise TopologyError(f"{path} cannot be read: {exc}") from exc
    except TopologyError as exc:
        raise TopologyError(f"{path}: {exc}") from exc


def parse(text: str) -> Topology:
    """The topology in a text.

    Raises:
        TopologyError: it is no TOML, or what it says cannot be.
    """
    try:
        document = msgspec.convert(tomllib.loads(text), Document)
        exchanges = {
            name: msgspec.convert(document.defaults.exchange | given, ExchangeTable)
            for name, given in document.exchanges.items()
        }
        queues = {
            name: msgspec.convert(_merged(document.defaults.queue, given), QueueTable)
            for name, given in document.queues.items()
        }
    except (tomllib.TOMLDecodeError, msgspec.ValidationError) as exc:
        raise TopologyError(str(exc)) from exc
    names = _Names(exchanges, queues)
    return Topology(
        exchanges=tuple(_exchange(name, table) for name, table in exchanges.items()),
        queues=tuple(_queue(name, table) for name, table in queues.items()),
        bindings=tuple(binding for each in document.bindings for binding in names.bindings(each)),
        publications=tuple(
            Publication(name=name, exchange=names.exchange(table.exchange), key=table.key)
            for name, table in document.publications.items()
        ),
        subscriptions=tuple(
            Subscription(name=name, queue=names.queue(table.queue))
            for name, table in document.subscriptions.items()
        ),
    )


def parse_binding(text: str) -> tuple[str, list[str], str]:
    """Source, keys and target of a binding in short form; no keys is an empty list.

    Raises:
        TopologyError: it has another form.
    """
    found = _SHORT.fullmatch(text)
    if found is None or not found["source"]:
        raise TopologyError(f'binding {text!r} cannot be read: write "exchange[key, key] -> queue"')
    keys = found["keys"]
    return found["source"], [] if keys is None else [key.strip() for key in keys.split(",")], found["target"]


def _merged(defaults: dict[str, Any], given: dict[str, Any]) -> dict[str, Any]:
    """The queue's own words over those for all; arguments one by one."""
    arguments = {**defaults.get("arguments", {}), **given.get("arguments", {})}
    return {**defaults, **given, "arguments": arguments}


def _exchange(name: str, table: ExchangeTable) -> Exchange:
    return Exchange(name, table.type, table.durable, table.auto_delete, table.internal, table.arguments)


def _queue(name: str, table: QueueTable) -> Queue:
    arguments = dict(table.arguments)
    if table.dead_letters is not None:
        arguments.setdefault("x-dead-letter-exchange", "")
        arguments.setdefault("x-dead-letter-routing-key", table.dead_letters)
    return Queue(name, table.durable, table.exclusive, table.auto_delete, arguments)


class _Names:
    """What the rest of a file may refer to."""

    def __init__(self, exchanges: dict[str, ExchangeTable], queues: dict[str, QueueTable]) -> None:
        self._exchanges = exchanges
        self._queues = queues

    def exchange(self, name: str) -> str:
        return _known("exchange", name, self._exchanges)

    def queue(self, name: str) -> str:
        return _known("queue", name, self._queues)

    def bindings(self, given: str | BindingTable) -> Iterator[Binding]:
        if isinstance(given, str):
            source, keys, target = parse_binding(given)
            given = BindingTable(source=source, target=target)
        else:
            keys = [] if given.key is None else [given.key]
        self.exchange(given.source)
        to_exchange = given.to_exchange
        if to_exchange is None:
            to_exchange = given.target in self._exchanges and given.target not in self._queues
        self.exchange(given.target) if to_exchange else self.queue(given.target)
        for key in keys or [self._everything(given.source)]:
            yield Binding(given.source, given.target, key, given.arguments, to_exchange)

    def _everything(self, source: str) -> str:
        """The key of a binding that names none: all that a topic exchange has."""
        table = self._exchanges.get(source)
        is_topic = source == "amq.topic" if table is None else table.type == "topic"
        return "#" if is_topic else ""


def _known(kind: str, name: str, names: dict[str, Any]) -> str:
    if name in names or (kind == "exchange" and name.startswith(_EVERYWHERE)):
        return name
    nearest = get_close_matches(name, names, n=1)
    hint = f"; did you mean {nearest[0]!r}?" if nearest else ""
    raise TopologyError(f"there is no {kind} {name!r} in it{hint}")
