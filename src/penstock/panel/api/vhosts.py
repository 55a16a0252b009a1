"""Virtual hosts: listed, made, deleted, and the limits of what may be in one."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import msgspec

from penstock.broker.turns import in_turns
from penstock.panel.api.figures import depths_told, message_stats
from penstock.panel.api.listing import listed, one
from penstock.panel.api.nodes import node_name
from penstock.panel.api.samples import Asked
from penstock.panel.replies import DONE, MADE, ApiFault
from penstock.server.http.durable import durable
from penstock.server.imported import tags_of
from penstock.server.permissions import Permission
from penstock.server.vhosts import VirtualHost
from penstock.wire.amqp.constants import ReplyCode

if TYPE_CHECKING:
    from penstock.broker.host import VirtualHost as Host
    from penstock.panel.replies import Reply
    from penstock.panel.visit import Visit

__all__ = [
    "LimitBody",
    "VhostBody",
    "delete_limit",
    "delete_vhost",
    "get_vhost",
    "list_limits",
    "list_vhosts",
    "put_limit",
    "put_vhost",
]

#: RabbitMQ's name for a limit → ours.
LIMITS: Final = {"max-connections": "max_connections", "max-queues": "max_queues"}


class VhostBody(msgspec.Struct):
    """What is noted about a virtual host; without a word it stays as it is. It cannot be traced."""

    description: str | None = None
    tags: str | list[str] | None = None
    tracing: bool = False


class LimitBody(msgspec.Struct):
    """A limit; a negative one is none."""

    value: int


async def list_vhosts(visit: Visit) -> Reply:
    """The virtual hosts that the visitor may see."""
    rows = {host: await _row(visit, host) for host in visit.hosts()}
    return await listed(visit, list(rows), rows.__getitem__, name=lambda host: host.name)


async def get_vhost(visit: Visit, vhost: str) -> Reply:
    """One virtual host."""
    return one(visit, await _row(visit, visit.host(vhost)))


async def put_vhost(visit: Visit, vhost: str) -> Reply:
    """Make a virtual host; who makes it may do everything there."""
    realm, body = visit.front.access.realm, visit.body
    is_new = vhost not in realm.vhosts
    noted: dict[str, Any] = {} if body.description is None else {"description": body.description}
    if body.tags is not None:
        noted["tags"] = tuple(tags_of(body.tags))
    realm.vhosts.put(replace(VirtualHost(name=vhost) if is_new else realm.vhosts.get(vhost), **noted))
    if not is_new:
        await _saved(visit)
        return DONE
    visit.broker.create_host(vhost)
    every = {"configure": ".*", "write": ".*", "read": ".*"}
    realm.permissions.grant(Permission(user=visit.user.name, vhost=vhost, **every))
    await _saved(visit)
    return MADE


async def delete_vhost(visit: Visit, vhost: str) -> Reply:
    """Delete a virtual host with all that is in it; its clients are sent away."""
    front, realm = visit.front, visit.front.access.realm
    realm.vhosts.get(vhost)
    if visit.broker.hosts.get(vhost) is visit.panel.embedded.beanstalk.host:
        raise ApiFault(400, f"virtual host '{vhost}' cannot be deleted: beanstalk's tubes are in it")
    realm.delete_vhost(vhost)
    for session in [each for each in front.sessions if each.is_open and each.host.name == vhost]:
        session.end(ReplyCode.CONNECTION_FORCED, f"vhost '{vhost}' is deleted")
        session.leave()
    visit.broker.delete_host(vhost)
    await _saved(visit)
    return DONE


async def _row(visit: Visit, host: Host) -> dict[str, Any]:
    asked, told = Asked.by(visit), await in_turns(visit.broker.statistics.totals(host, visit.broker.now))
    vhosts = visit.front.access.realm.vhosts
    flowed, stood = (asked.past(kind, visit, host, told.figures) for kind in ("msg_rates", "lengths"))
    return {
        "name": host.name,
        "description": "",
        "tags": [],
        "metadata": {"description": "", "tags": []},
        "tracing": False,
        "cluster_state": {node_name(): "running"},
        "message_stats": message_stats(told.counts, told.rates, flowed),
        **depths_told(told.depths, told.growth, stood),
    } | (noted_about(vhosts.get(host.name)) if host.name in vhosts else {})


def noted_about(host: VirtualHost) -> dict[str, Any]:
    """What people have noted about a virtual host, if they have; RabbitMQ tells it twice."""
    about = {"description": host.description, "tags": list(host.tags)}
    return {**about, "metadata": about} if any(about.values()) else {}


# Limits


async def list_limits(visit: Visit, vhost: str | None = None) -> Reply:
    """The limits of all virtual hosts that have some, or of one."""
    seen = [host.name for host in visit.hosts()] if vhost is None else [visit.host(vhost).name]
    hosts = [host for host in visit.front.access.realm.vhosts if host.name in seen]
    return await listed(
        visit,
        [host for host in hosts if limits_of(host)],
        lambda host: {"vhost": host.name, "value": limits_of(host)},
        name=lambda host: host.name,
    )


def limits_of(host: VirtualHost) -> dict[str, int]:
    """What limits a virtual host, under RabbitMQ's names."""
    limits = {told: getattr(host, name) for told, name in LIMITS.items()}
    return {told: limit for told, limit in limits.items() if limit is not None}


async def put_limit(visit: Visit, vhost: str, name: str) -> Reply:
    """Limit a virtual host."""
    body: LimitBody = visit.body
    await _limit(visit, vhost, name, body.value if body.value >= 0 else None)
    return DONE


async def delete_limit(visit: Visit, vhost: str, name: str) -> Reply:
    """Take a limit away."""
    await _limit(visit, vhost, name, None)
    return DONE


async def _limit(visit: Visit, vhost: str, name: str, value: int | None) -> None:
    if name not in LIMITS:
        raise ApiFault(400, f"there is no limit {name[:40]!r}; there are {', '.join(LIMITS)}")
    vhosts = visit.front.access.realm.vhosts
    vhosts.put(VirtualHost.from_record(vhosts.get(vhost).record() | {LIMITS[name]: value}))
    await _saved(visit)


async def _saved(visit: Visit) -> None:
    visit.front.access.save()
    await durable(visit.broker)
