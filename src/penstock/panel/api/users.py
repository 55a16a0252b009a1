"""Users: who there is, with which tags; and who asks."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import msgspec

from penstock.panel.api.listing import listed
from penstock.panel.replies import DONE, MADE, ApiFault, json_reply
from penstock.server.http.durable import durable
from penstock.server.imported import tags_of, with_hash
from penstock.server.users import User

if TYPE_CHECKING:
    from penstock.panel.replies import Reply
    from penstock.panel.visit import Visit

__all__ = [
    "BulkBody",
    "UserBody",
    "bulk_delete",
    "delete_user",
    "get_user",
    "list_users",
    "list_without_permissions",
    "put_user",
    "whoami",
]


class UserBody(msgspec.Struct):
    """A user: with a password, or RabbitMQ's hash of one, or neither to leave it as it is."""

    tags: str | list[str]
    password: str | None = None
    password_hash: str | None = None
    hashing_algorithm: str = "rabbit_password_hashing_sha256"


class BulkBody(msgspec.Struct):
    """The names of some users."""

    users: list[str]


async def whoami(visit: Visit) -> Reply:
    """Who asks."""
    return json_reply({"name": visit.user.name, "tags": sorted(visit.user.tags)})


async def list_users(visit: Visit) -> Reply:
    """All users; their passwords are not told."""
    users = list(visit.front.access.realm.users)
    return await listed(visit, users, _row, name=lambda user: user.name)


async def list_without_permissions(visit: Visit) -> Reply:
    """Those who may not enter any virtual host."""
    realm = visit.front.access.realm
    entered = {record["user"] for record in realm.permissions.records()["permissions"]}
    users = [user for user in realm.users if user.name not in entered]
    return await listed(visit, users, _row, name=lambda user: user.name)


async def get_user(visit: Visit, user: str) -> Reply:
    """One user."""
    return json_reply(_row(visit.front.access.realm.users.get(user)))


async def put_user(visit: Visit, user: str) -> Reply:
    """Make a user, or change one."""
    body: UserBody = visit.body
    users = visit.front.access.realm.users
    is_new = user not in users
    wanted = replace(User(name=user) if is_new else users.get(user), tags=frozenset(tags_of(body.tags)))
    if body.password:
        # It takes its time on purpose, and the loop has others to serve.
        loop = asyncio.get_running_loop()
        wanted = replace(wanted, password=await loop.run_in_executor(None, users.hashed, body.password))
    elif body.password_hash:
        wanted = with_hash(wanted, body.hashing_algorithm, body.password_hash)
    elif body.password == "" or body.password_hash == "":
        # RabbitMQ's way to let somebody in by a certificate only.
        wanted = replace(wanted, password=None)
    users.put(wanted)
    await _saved(visit)
    return MADE if is_new else DONE


async def delete_user(visit: Visit, user: str) -> Reply:
    """Forget a user, with its permissions; its connections stay until they are closed."""
    _delete(visit, user)
    await _saved(visit)
    return DONE


async def bulk_delete(visit: Visit) -> Reply:
    """Forget some users; those who are not there are no mistake."""
    body: BulkBody = visit.body
    for user in body.users:
        if user in visit.front.access.realm.users:
            _delete(visit, user)
    await _saved(visit)
    return DONE


def _delete(visit: Visit, user: str) -> None:
    if user == visit.user.name:
        raise ApiFault(400, f"user '{user}' cannot delete itself: let another administrator do it")
    visit.front.access.realm.delete_user(user)


async def _saved(visit: Visit) -> None:
    visit.front.access.save()
    await durable(visit.broker)


def _row(user: User) -> dict[str, Any]:
    return {
        "name": user.name,
        "tags": sorted(user.tags),
        "has_password": user.password is not None,
        "limits": {},
    }
