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

__all__ = ["OWN_ALGORITHM", "import_definitions", "tags_of", "take_over", "with_hash"]

log = logging.getLogger(__name__)

#: What stands for our own hashes where RabbitMQ names the module that made one.
OWN_ALGORITHM: Final = "penstock_scrypt"


def import_definitions(path: Path, realm: Realm) -> None:
    """Take over what a file says. Slow where passwords are new.

    Raises:
        BadSetting: the file cannot be read, or says what cannot be; the realm may have changed in part.
    """
    try:
        record = json.loads(path.read_bytes())
        take_over(record, realm)
    except (OSError, ValueError, SecurityError) as wrong:
        raise BadSetting(f"definitions: {path}: {wrong}", setting="definitions") from wrong
    passed_over = sorted(chapter for chapter in record if record[chapter] and chapter in NOT_TAKEN)
    if passed_over:
        log.info("definitions: %s are not taken over: clients declare them", ", ".join(passed_over))


def take_over(record: Mapping[str, Any], realm: Realm) -> None:
    """Take over what definitions say of who may come in.

    Raises:
        SecurityError: they say what cannot be; the realm may have changed in part.
    """
    try:
        for chapter, take in CHAPTERS.items():
            for entry in record.get(chapter, []):
                take(realm, entry)
    except KeyError as missing:
        raise SecurityError(f"there is no {missing} where one is needed") from missing
    except (AttributeError, TypeError, ValueError) as wrong:
        raise SecurityError(str(wrong)) from wrong


def _vhost(realm: Realm, entry: Mapping[str, Any]) -> None:
    name, about = entry["name"], entry.get("metadata") or entry
    host = realm.vhosts.get(name) if name in realm.vhosts else VirtualHost(name=name)
    noted = {key: about[key] for key in ("description", "tags") if about.get(key)}
    if "tags" in noted:
        noted["tags"] = tuple(tags_of(noted["tags"]))
    realm.vhosts.put(replace(host, **noted))


def _limits(realm: Realm, entry: Mapping[str, Any]) -> None:
    value = entry["value"]
    # RabbitMQ writes "no limit" as a negative number, too.
    limits = {key: value.get(f"max-{key}") for key in ("connections", "queues")}
    connections, queues = (None if limit is None or limit < 0 else limit for limit in limits.values())
    name = entry["vhost"]
    host = realm.vhosts.get(name) if name in realm.vhosts else VirtualHost(name=name)
    realm.vhosts.put(replace(host, max_connections=connections, max_queues=queues))


def _parameter(realm: Realm, entry: Mapping[str, Any]) -> None:
    """RabbitMQ exports a virtual host's limits as one of many kinds of parameters."""
    if entry["component"] == "vhost-limits":
        _limits(realm, entry)


def _user(realm: Realm, entry: Mapping[str, Any]) -> None:
    name, tags = entry["name"], tags_of(entry.get("tags", []))
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
    if algorithm not in {*IMPORTED, OWN_ALGORITHM}:
        log.warning("definitions: give user %r a password, its hash by %s is not taken over", name, algorithm)
        return
    realm.users.put(with_hash(realm.users.get(name), algorithm, entry["password_hash"]))


def with_hash(user: User, algorithm: str, text: str) -> User:
    """The user with a password of which the hash is known: RabbitMQ's, or our own.

    Raises:
        BadUser: it is no such hash.
    """
    if algorithm not in {*IMPORTED, OWN_ALGORITHM}:
        raise BadUser(f"user {user.name!r}: a hash by {algorithm} is not taken over: give a password")
    try:
        if algorithm == OWN_ALGORITHM:
            return replace(user, password=text)
        return replace(user, password=imported_hash(algorithm, text))
    except BadUser as wrong:
        raise BadUser(f"user {user.name!r}: {wrong}") from wrong


def _has_password(user: User, password: str) -> bool:
    if user.password is None or is_imported(user.password):
        return False  # what was imported is hashed anew
    return is_password(password, user.password)


def tags_of(tags: str | list[str]) -> list[str]:
    """A user's tags: before 3.9 RabbitMQ wrote them separated by commas."""
    return [tag.strip() for tag in tags.split(",") if tag.strip()] if isinstance(tags, str) else tags


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
    "parameters": _parameter,
    "users": _user,
    "permissions": _permission,
    "topic_permissions": _topic_permission,
}
NOT_TAKEN: Final = frozenset({"queues", "exchanges", "bindings", "policies"})
