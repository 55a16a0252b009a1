"""Definitions as RabbitMQ exports them: who may come in, and what they may do, read into the realm.

Users, virtual hosts with their limits, permissions and topic permissions are taken over at every start, as
RabbitMQ's load_definitions does; what else stands there clients declare themselves. The file is JSON
(rabbitmq.com/docs/definitions).
"""

from __future__ import annotations

import json
import logging
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from penstock.errors import BadSetting, BadUser, SecurityError
from penstock.server.passwords import IMPORTED, imported_hash, is_imported, is_password
from penstock.server.permissions import Permission, TopicPermission
from penstock.server.users import User
from penstock.server.vhosts import VirtualHost

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from penstock.server.realm import Realm

__all__ = ["import_definitions"]

log = logging.getLogger(__name__)


def import_definitions(path: Path, realm: Realm) -> None:
    """Take over what a file says. Slow where passwords are new.

    Raises:
        BadSetting: the file cannot be read, or says what cannot be; the realm may have changed in part.
    """
    try:
        record = json.loads(path.read_bytes())
        for chapter, take in CHAPTERS.items():
            for entry in record.get(chapter, []):
                take(realm, entry)
    except (OSError, ValueError, AttributeError, TypeError, KeyError, SecurityError) as wrong:
        missing = f"there is no {wrong} where one is needed" if isinstance(wrong, KeyError) else wrong
        raise BadSetting(f"definitions: {path}: {missing}", setting="definitions") from wrong
    passed_over = sorted(chapter for chapter in record if record[chapter] and chapter in NOT_TAKEN)
    if passed_over:
        log.info("definitions: %s are not taken over: clients declare them", ", ".join(passed_over))


def _vhost(realm: Realm, entry: Mapping[str, Any]) -> None:
    if entry["name"] not in realm.vhosts:
        realm.vhosts.put(VirtualHost(name=entry["name"]))


def _limits(realm: Realm, entry: Mapping[str, Any]) -> None:
    value = entry["value"]
    # RabbitMQ writes "no limit" as a negative number, too.
    limits = {key: value.get(f"max-{key}") for key in ("connections", "queues")}
    connections, queues = (None if limit is None or limit < 0 else limit for limit in limits.values())
    realm.vhosts.put(VirtualHost(name=entry["vhost"], max_connections=connections, max_queues=queues))


def _user(realm: Realm, entry: Mapping[str, Any]) -> None:
    name, tags = entry["name"], _tags(entry.get("tags", []))
    if name not in realm.users:
        realm.users.put(User(name=name))
    if (password := entry.get("password")) is not None:
        if not _has_password(realm.users.get(name), password):
            realm.users.change_password(name, password)
    elif entry.get("password_hash"):
        _take_hash(realm, entry)
    realm.users.change_tags(name, tags)


def _take_hash(realm: Realm, entry: Mapping[str, Any]) -> None:
    """What RabbitMQ exports instead of a password; without a word about it, since 3.6, SHA-256."""
    name, algorithm = entry["name"], entry.get("hashing_algorithm", "rabbit_password_hashing_sha256")
    if algorithm not in IMPORTED:
        log.warning("definitions: give user %r a password, its hash by %s is not taken over", name, algorithm)
        return
    try:
        stored = imported_hash(algorithm, entry["password_hash"])
    except BadUser as wrong:
        raise BadUser(f"user {name!r}: {wrong}") from wrong
    realm.users.put(replace(realm.users.get(name), password=stored))


def _has_password(user: User, password: str) -> bool:
    if user.password is None or is_imported(user.password):
        return False  # what was imported is hashed anew
    return is_password(password, user.password)


def _tags(tags: str | list[str]) -> list[str]:
    """Before 3.9 RabbitMQ wrote them separated by commas."""
    return [tag for tag in tags.split(",") if tag] if isinstance(tags, str) else tags


def _permission(realm: Realm, entry: Mapping[str, Any]) -> None:
    patterns = {action: entry[action] for action in ("configure", "write", "read")}
    realm.permissions.grant(Permission(user=entry["user"], vhost=entry["vhost"], **patterns))


def _topic_permission(realm: Realm, entry: Mapping[str, Any]) -> None:
    place = {key: entry[key] for key in ("user", "vhost", "exchange")}
    realm.permissions.grant_topic(TopicPermission(**place, write=entry["write"], read=entry["read"]))


#: In the order they depend on each other.
CHAPTERS: Final[Mapping[str, Callable[[Realm, Mapping[str, Any]], None]]] = {
    "vhosts": _vhost,
    "vhost_limits": _limits,
    "users": _user,
    "permissions": _permission,
    "topic_permissions": _topic_permission,
}
NOT_TAKEN: Final = frozenset({"queues", "exchanges", "bindings", "policies", "parameters"})
