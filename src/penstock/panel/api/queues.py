"""Queues: listed, shown, declared, deleted, purged."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

import msgspec

from penstock.errors import UnknownQueue
from penstock.panel.api.changing import do
from penstock.panel.api.consumers import consumer_row, ledgers
from penstock.panel.api.figures import depths_told, message_stats
from penstock.panel.api.listing import flag, listed, one
from penstock.panel.api.nodes import node_name
from penstock.panel.api.samples import Asked
from penstock.panel.api.slices import chosen
from penstock.panel.replies import DONE, MADE
from penstock.server.amqp.arguments import QUORUM, is_quorum
from penstock.server.amqp.declared import QueueDeclared
from penstock.server.amqp.publishing import REPLY_TO
from penstock.wire.amqp.methods import QueueDeclare, QueueDelete, QueuePurge

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.broker.host import VirtualHost
    from penstock.panel.replies import Reply
    from penstock.panel.visit import Visit
    from penstock.wiring import Queue

__all__ = [
    "QueueBody",
    "delete_queue",
    "find_queue",
    "get_queue",
    "is_shown",
    "list_queues",
    "purge_queue",
    "put_queue",
]

_Place = tuple["VirtualHost", "Queue"]
#: Columns by which a list is sorted before there are rows: those that operators sort by, and are cheap.
_KEYS: Final[dict[str, Callable[[_Place], Any]]] = {
    "name": lambda place: place[1].address,
    "vhost": lambda place: place[0].name,
    "messages_ready": lambda place: place[1].ready,
    "messages_unacknowledged": lambda place: place[1].held,
    "messages": lambda place: place[1].ready + place[1].held,
    "consumers": lambda place: len(place[1].dispatch.consumers),
}


class QueueBody(msgspec.Struct):
    """What a queue is declared with; RabbitMQ declares durable ones if nothing is said."""

    durable: bool = True
    auto_delete: bool = False
    arguments: dict[str, Any] = {}


async def list_queues(visit: Visit, vhost: str | None = None) -> Reply:
    """All queues, or those of a virtual host."""
    hosts = visit.hosts() if vhost is None else [visit.host(vhost)]
    for host in hosts:
        visit.broker.settle(host)
    places = [(host, queue) for host in hosts for queue in host.wiring.queues.values()]
    places = await chosen(places, lambda place: is_shown(place[1]))
    keys = _KEYS | {"oldest_age": lambda place: place[1].waited(visit.broker.now)}
    return await listed(visit, places, _row(visit), name=lambda place: place[1].address, keys=keys)


async def get_queue(visit: Visit, vhost: str, name: str) -> Reply:
    """One queue, with its consumers and readers."""
    host = visit.host(vhost)
    visit.broker.settle(host)
    queue = find_queue(host, name)
    by_ledger = ledgers(visit)
    told = _row(visit)((host, queue))
    readers = visit.broker.statistics.queue(queue, visit.broker.now).readers.values()
    told["consumer_details"] = [consumer_row(each, vhost, by_ledger) for each in queue.dispatch.consumers]
    told["readers"] = [msgspec.to_builtins(reader) for reader in readers]
    return one(visit, told | {"incoming": [], "deliveries": []})


async def put_queue(visit: Visit, vhost: str, name: str) -> Reply:
    """Declare a queue."""
    body: QueueBody = visit.body
    is_new = ("", name) not in visit.host(vhost).wiring.queues
    declare = QueueDeclare(name, durable=body.durable, auto_delete=body.auto_delete, arguments=body.arguments)
    await do(visit, vhost, declare)
    return MADE if is_new else DONE


async def delete_queue(visit: Visit, vhost: str, name: str) -> Reply:
    """Delete a queue, if it is unused or empty where that is asked for."""
    find_queue(visit.host(vhost), name)
    delete = QueueDelete(
        name, if_unused=flag(visit.query, "if-unused"), if_empty=flag(visit.query, "if-empty")
    )
    await do(visit, vhost, delete)
    return DONE


async def purge_queue(visit: Visit, vhost: str, name: str) -> Reply:
    """Drop all that waits."""
    await do(visit, vhost, QueuePurge(name))
    return DONE


def find_queue(host: VirtualHost, name: str) -> Queue:
    """A queue by its name, or by its name with the namespace before it.

    Raises:
        UnknownQueue: there is none.
    """
    queue = host.wiring.queues.get(("", name))
    if queue is None and "/" in name:
        queue = next((each for each in host.wiring.queues.values() if each.address == name), None)
    if queue is None:
        raise UnknownQueue(f"there is no queue '{name}' in virtual host '{host.name}'")
    return queue


def is_shown(queue: Queue) -> bool:
    """What stands for a channel's replies is no queue that anybody declared."""
    return not queue.name.startswith(REPLY_TO)


def _row(visit: Visit) -> Callable[[_Place], dict[str, Any]]:
    statistics, now, node, asked = visit.broker.statistics, visit.broker.now, node_name(), Asked.by(visit)

    def row(place: _Place) -> dict[str, Any]:
        host, queue = place
        declared, seen = QueueDeclared.read(queue), statistics.queue(queue, now)
        arguments = declared.table()
        active = queue.dispatch.active
        told = {
            "name": queue.address,
            "vhost": host.name,
            "type": QUORUM if is_quorum(arguments) else "classic",
            "durable": declared.durable,
            "auto_delete": declared.auto_delete,
            "exclusive": queue.owner is not None,
            "arguments": arguments,
            "node": node,
            "state": "paused" if queue.paused_until > now else "running",
            "policy": None,
            "operator_policy": None,
            "effective_policy_definition": {},
            "consumers": seen.consumers,
            "single_active_consumer_tag": None if active is None else active.name,
            "exclusive_consumer_tag": next(
                (each.name for each in queue.dispatch.consumers if each.exclusive), None
            ),
            "head_message_timestamp": None,
            "oldest_age": seen.waited,
            "message_stats": message_stats(
                seen.counts, seen.rates, asked.past("msg_rates", visit, queue, seen.figures)
            ),
        }
        told |= depths_told(seen.depths, seen.growth, asked.past("lengths", visit, queue, seen.figures))
        idle_since = statistics.maybe_idle_since(queue, seen.figures)
        if idle_since is not None:
            # RabbitMQ's way to say so: what has no such field is at work.
            told["idle_since"] = datetime.fromtimestamp(idle_since, UTC).isoformat(timespec="milliseconds")
        if queue.waiting.weighed:
            told["message_bytes_ready"] = queue.waiting.bytes
        if queue.owner is not None:
            told["owner_pid_details"] = {"name": queue.owner.name}
        return told

    return row
