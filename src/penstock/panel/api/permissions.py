"""Permissions: what each user may do in which virtual host, and on which topics."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from penstock.panel.api.listing import listed
from penstock.panel.replies import DONE, MADE, ApiFault, json_reply
from penstock.server.http.durable import durable
from penstock.server.permissions import Permission, TopicPermission

if TYPE_CHECKING:
    from penstock.panel.replies import Reply
    from penstock.panel.visit import Visit

__all__ = [
    "PermissionBody",
    "TopicBody",
    "delete_permission",
    "delete_topic",
    "get_permission",
    "get_topic",
    "list_of_user",
    "list_of_vhost",
    "list_permissions",
    "list_topics",
    "list_topics_of_user",
    "list_topics_of_vhost",
    "put_permission",
    "put_topic",
]


class PermissionBody(msgspec.Struct):
    """A pattern for each kind of access."""

    configure: str
    write: str
    read: str


class TopicBody(msgspec.Struct):
    """Which routing keys on which exchange."""

    exchange: str
    write: str
    read: str


async def list_permissions(visit: Visit) -> Reply:
    """All permissions."""
    return await _listed(visit, "permissions")


async def list_topics(visit: Visit) -> Reply:
    """All topic permissions."""
    return await _listed(visit, "topic_permissions")


async def list_of_user(visit: Visit, user: str) -> Reply:
    """A user's, in all virtual hosts."""
    return await _listed(visit, "permissions", user=user)


async def list_topics_of_user(visit: Visit, user: str) -> Reply:
    """A user's on topics, in all virtual hosts."""
    return await _listed(visit, "topic_permissions", user=user)


async def list_of_vhost(visit: Visit, vhost: str) -> Reply:
    """Everybody's in a virtual host."""
    return await _listed(visit, "permissions", vhost=vhost)


async def list_topics_of_vhost(visit: Visit, vhost: str) -> Reply:
    """Everybody's on topics in a virtual host."""
    return await _listed(visit, "topic_permissions", vhost=vhost)


async def get_permission(visit: Visit, vhost: str, user: str) -> Reply:
    """A user's in a virtual host."""
    found = _records(visit, "permissions", vhost=vhost, user=user)
    if not found:
        raise ApiFault(404, f"user '{user}' has no permission in virtual host '{vhost}'")
    return json_reply(found[0])


async def get_topic(visit: Visit, vhost: str, user: str, **on: str) -> Reply:
    """A user's on topics in a virtual host, or on those of one exchange."""
    found = _records(visit, "topic_permissions", vhost=vhost, user=user, **on)
    if not found:
        raise ApiFault(404, f"user '{user}' has no topic permission in virtual host '{vhost}'")
    return json_reply(found)


async def put_permission(visit: Visit, vhost: str, user: str) -> Reply:
    """Give a permission, in place of the one before."""
    body: PermissionBody = visit.body
    permissions, is_new = (
        _place(visit, vhost, user),
        not _records(visit, "permissions", vhost=vhost, user=user),
    )
    permissions.grant(
        Permission(user=user, vhost=vhost, configure=body.configure, write=body.write, read=body.read)
    )
    await _saved(visit)
    return MADE if is_new else DONE


async def put_topic(visit: Visit, vhost: str, user: str) -> Reply:
    """Restrict a user's routing keys on an exchange."""
    body: TopicBody = visit.body
    permissions = _place(visit, vhost, user)
    is_new = permissions.topic_of(user, vhost, body.exchange) is None
    permissions.grant_topic(
        TopicPermission(user=user, vhost=vhost, exchange=body.exchange, write=body.write, read=body.read)
    )
    await _saved(visit)
    return MADE if is_new else DONE


async def delete_permission(visit: Visit, vhost: str, user: str) -> Reply:
    """Take a permission."""
    await get_permission(visit, vhost, user)
    visit.front.access.realm.permissions.revoke(user, vhost)
    await _saved(visit)
    return DONE


async def delete_topic(visit: Visit, vhost: str, user: str, **on: str) -> Reply:
    """Lift all restrictions of a user's routing keys in a virtual host, or those on one exchange."""
    await get_topic(visit, vhost, user, **on)
    for record in _records(visit, "topic_permissions", vhost=vhost, user=user, **on):
        visit.front.access.realm.permissions.revoke_topic(user, vhost, record["exchange"])
    await _saved(visit)
    return DONE


def _place(visit: Visit, vhost: str, user: str) -> Any:
    """The book of permissions, once both ends are known to be there."""
    realm = visit.front.access.realm
    realm.vhosts.get(vhost)
    realm.users.get(user)
    return realm.permissions


def _records(visit: Visit, chapter: str, **of: str) -> list[dict[str, Any]]:
    realm = visit.front.access.realm
    if "user" in of:
        realm.users.get(of["user"])
    if "vhost" in of:
        realm.vhosts.get(of["vhost"])
    records = realm.permissions.records()[chapter]
    return [record for record in records if all(record[key] == value for key, value in of.items())]


async def _listed(visit: Visit, chapter: str, **of: str) -> Reply:
    return await listed(visit, _records(visit, chapter, **of), dict, name=lambda record: record["user"])


async def _saved(visit: Visit) -> None:
    visit.front.access.save()
    await durable(visit.broker)
