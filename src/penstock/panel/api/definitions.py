"""Definitions: all that a broker, or one virtual host, is made of, out and in again; RabbitMQ's format."""

from __future__ import annotations

import asyncio
import logging
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from penstock import __version__
from penstock.errors import PenstockError, SecurityError, UnknownVirtualHost
from penstock.panel.api.overview import COMPATIBLE
from penstock.panel.api.slices import chosen, gathered, ordered, written
from penstock.panel.api.vhosts import limits_of, noted_about
from penstock.panel.replies import DONE, ApiFault, Reply, as_json, fault_of
from penstock.server.amqp.desk import Desk
from penstock.server.amqp.inventory import (
    binding_defined,
    exchange_defined,
    is_own,
    is_public,
    queue_defined,
    ways_of,
)
from penstock.server.guard import Trusting
from penstock.server.http.durable import durable
from penstock.server.imported import OWN_ALGORITHM, take_over
from penstock.server.passwords import is_imported
from penstock.wire.amqp.methods import ExchangeBind, ExchangeDeclare, QueueBind, QueueDeclare

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from penstock.broker.host import VirtualHost
    from penstock.panel.visit import Visit
    from penstock.server.amqp.inventory import Way
    from penstock.server.users import User, Users
    from penstock.wire.amqp.methods import Method
    from penstock.wiring import Proxy, Queue

There: TypeAlias = "Callable[[VirtualHost], Awaitable[list[Any]]]"
Define: TypeAlias = "Callable[[Any, str], dict[str, Any]]"

__all__ = ["export_all", "export_vhost", "import_all", "import_vhost"]

log = logging.getLogger(__name__)

#: What is passed over, with a word in the log: this broker has none.
PASSED_OVER: Final = ("policies", "global_parameters")
#: Declarations in one go, in and out; others on the loop wait for a few milliseconds.
SLICE: Final = 100
EXPORTED: Final = 250


# Out


async def export_all(visit: Visit) -> Reply:
    """Everything that a new broker needs to be like this one, but for the messages."""
    realm = visit.front.access.realm
    told: dict[str, Any] = {
        "rabbit_version": COMPATIBLE,
        "rabbitmq_version": COMPATIBLE,
        "product_name": "Penstock",
        "product_version": __version__,
        "users": [_user(user) for user in realm.users],
        "vhosts": [{"name": host.name, **noted_about(host)} for host in realm.vhosts],
        **realm.permissions.records(),
        "parameters": [
            {"component": "vhost-limits", "vhost": host.name, "name": "limits", "value": limits_of(host)}
            for host in realm.vhosts
            if limits_of(host)
        ],
        "global_parameters": [],
        "policies": [],
    }
    return Reply(body=await _with_parts(told, list(visit.broker.hosts.values())))


async def export_vhost(visit: Visit, vhost: str) -> Reply:
    """What a virtual host needs to be like this one; it may get another name."""
    told = {"rabbit_version": COMPATIBLE, "parameters": [], "policies": []}
    return Reply(body=await _with_parts(told, [visit.host(vhost)], is_movable=True))


def _user(user: User) -> dict[str, Any]:
    told: dict[str, Any] = {"name": user.name, "tags": sorted(user.tags), "limits": {}}
    if user.password is None:
        return told | {"password_hash": "", "hashing_algorithm": "rabbit_password_hashing_sha256"}
    if is_imported(user.password):
        algorithm, _, text = user.password.partition("$")
        return told | {"password_hash": text, "hashing_algorithm": algorithm}
    return told | {"password_hash": user.password, "hashing_algorithm": OWN_ALGORITHM}


async def _with_parts(told: dict[str, Any], hosts: list[VirtualHost], *, is_movable: bool = False) -> bytes:
    """What is told, and what the virtual hosts are made of; that may say in which, or not."""
    body = as_json(told)[:-1]
    for chapter, (there, order, defined) in CHAPTERS.items():
        # In an order of their own: two exports of the same are the same.
        parts = [
            (defined, part, host.name) for host in hosts for part in await ordered(await there(host), order)
        ]
        entries = await written(parts, _without_vhost if is_movable else _entry, EXPORTED)
        body += b',"%s":%s' % (chapter.encode(), entries)
    return body + b"}"


def _entry(part: tuple[Define, Any, str]) -> dict[str, Any]:
    defined, thing, vhost = part
    return defined(thing, vhost)


def _without_vhost(part: tuple[Define, Any, str]) -> dict[str, Any]:
    entry = _entry(part)
    del entry["vhost"]
    return entry


async def _queues(host: VirtualHost) -> list[Queue]:
    return await chosen(list(host.wiring.queues.values()), is_public)


async def _exchanges(host: VirtualHost) -> list[Proxy]:
    return await chosen(list(host.wiring.proxies.values()), lambda proxy: not is_own(proxy.name))


async def _bindings(host: VirtualHost) -> list[Way]:
    return await gathered(way for way in ways_of(host) if _is_anybodys(host, way))


def _is_anybodys(host: VirtualHost, way: Way) -> bool:
    """A connection's own queue is not there when somebody reads this."""
    if way.kind != "queue":
        return True
    queue = host.wiring.queues.get(("", way.end.target))
    return queue is not None and queue.owner is None


#: What a virtual host is made of, but for what is a connection's own, as RabbitMQ exports it: what there is,
#: in which order, and what it is declared with.
CHAPTERS: Final[dict[str, tuple[There, Callable[[Any], str], Define]]] = {
    "queues": (_queues, attrgetter("name"), queue_defined),
    "exchanges": (_exchanges, attrgetter("name"), exchange_defined),
    "bindings": (_bindings, lambda way: f"{way.asked.key}\0{way.end.key}", binding_defined),
}


# In


async def import_all(visit: Visit) -> Reply:
    """Take over what definitions say; what is there already and alike stays as it is."""
    record: dict[str, Any] = visit.body
    _demand_lists(record)
    await _hash_passwords(record.get("users", []), visit.front.access.realm.users)
    take_over(record, visit.front.access.realm)
    for host in visit.front.access.realm.vhosts:
        visit.broker.create_host(host.name)
    visit.front.access.save()
    for chapter in FIELDS_IN_ORDER:
        await _declare(visit, chapter, record.get(chapter, []), None)
    _tell_passed_over(record)
    await durable(visit.broker)
    return DONE


async def import_vhost(visit: Visit, vhost: str) -> Reply:
    """The same for what one virtual host is made of."""
    visit.host(vhost)
    record: dict[str, Any] = visit.body
    _demand_lists(record)
    for chapter in FIELDS_IN_ORDER:
        await _declare(visit, chapter, record.get(chapter, []), vhost)
    _tell_passed_over(record)
    await durable(visit.broker)
    return DONE


def _demand_lists(record: dict[str, Any]) -> None:
    for chapter, entries in record.items():
        is_list = isinstance(entries, list) and all(isinstance(entry, dict) for entry in entries)
        if chapter in {*CHAPTERS, "users", "vhosts", "permissions", "topic_permissions"} and not is_list:
            raise ApiFault(400, f"{chapter} is a list of objects")


async def _hash_passwords(entries: list[dict[str, Any]], users: Users) -> None:
    """Passwords that stand there as they are: each takes its time, and the loop has others to serve."""
    for entry in entries:
        password = entry.pop("password", None)
        if isinstance(password, str) and password:
            loop = asyncio.get_running_loop()
            entry["password_hash"] = await loop.run_in_executor(None, users.hashed, password)
            entry["hashing_algorithm"] = OWN_ALGORITHM


async def _declare(visit: Visit, chapter: str, entries: list[dict[str, Any]], vhost: str | None) -> None:
    method_of = FIELDS_IN_ORDER[chapter]
    for number, entry in enumerate(entries, 1):
        try:
            _do(visit, vhost or entry["vhost"], method_of(entry))
        except KeyError as missing:
            raise ApiFault(400, f"{chapter}, number {number}: there is no {missing}") from missing
        except PenstockError as error:
            fault = fault_of(error)
            raise ApiFault(fault.status, f"{chapter}, number {number}: {error}") from error
        except (TypeError, ValueError, AttributeError) as wrong:
            raise ApiFault(400, f"{chapter}, number {number}: {wrong}") from wrong
        if number % SLICE == 0:
            visit.broker.turn()
            await asyncio.sleep(0)


def _do(visit: Visit, vhost: str, method: Method) -> None:
    host = visit.broker.hosts.get(vhost)
    if host is None:
        raise UnknownVirtualHost(f"there is no virtual host '{vhost}'")
    realm = visit.front.access.realm
    with Desk(visit.front, host, Trusting(realm.permissions, visit.user.name, vhost)) as desk:
        desk.do(method)


def _exchange(entry: Mapping[str, Any]) -> Method:
    flags = {name: bool(entry.get(name, False)) for name in ("durable", "auto_delete", "internal")}
    return ExchangeDeclare(entry["name"], entry["type"], arguments=_arguments(entry), **flags)


def _queue(entry: Mapping[str, Any]) -> Method:
    flags = {name: bool(entry.get(name, False)) for name in ("durable", "auto_delete")}
    return QueueDeclare(entry["name"], arguments=_arguments(entry), **flags)


def _binding(entry: Mapping[str, Any]) -> Method:
    bind = QueueBind if entry["destination_type"] == "queue" else ExchangeBind
    return bind(entry["destination"], entry["source"], entry["routing_key"], arguments=_arguments(entry))


def _arguments(entry: Mapping[str, Any]) -> dict[str, Any]:
    arguments = entry.get("arguments") or {}
    if not isinstance(arguments, dict):
        raise SecurityError("arguments are an object")
    return arguments


#: In the order they depend on each other.
FIELDS_IN_ORDER: Final[dict[str, Callable[[Mapping[str, Any]], Method]]] = {
    "exchanges": _exchange,
    "queues": _queue,
    "bindings": _binding,
}


def _tell_passed_over(record: dict[str, Any]) -> None:
    passed = [chapter for chapter in PASSED_OVER if record.get(chapter)]
    if passed:
        log.warning("definitions: %s are not taken over: this broker has none", ", ".join(passed))
