"""What each user may configure, write and read, per virtual host; and on which topics, per exchange.

The rules are RabbitMQ's (rabbit_auth_backend_internal.erl): no permission for a virtual host, no access to
it; a pattern is searched in the name of the queue or exchange; without a topic permission for an exchange,
every routing key is allowed there. Who is asking is known already; which verb needs what is in operations.py.
"""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from penstock.server.patterns import check_pattern, compiled, expanded

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["Action", "Permission", "Permissions", "TopicPermission"]


class Action(StrEnum):
    """What a permission is for."""

    CONFIGURE = "configure"
    WRITE = "write"
    READ = "read"


@dataclass(frozen=True, slots=True, kw_only=True)
class Permission:
    """What a user may do in a virtual host: a pattern for each kind of access."""

    user: str
    vhost: str
    configure: str = ""
    write: str = ""
    read: str = ""

    def __post_init__(self) -> None:
        for action in Action:
            check_pattern(getattr(self, action))


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicPermission:
    """Which routing keys a user may publish to an exchange with, and bind it with."""

    user: str
    vhost: str
    exchange: str
    #: May hold {username}, {vhost} and {client_id}.
    write: str = ""
    read: str = ""

    def __post_init__(self) -> None:
        check_pattern(self.write)
        check_pattern(self.read)


class Permissions:
    """All permissions of a broker."""

    __slots__ = ("_by_place", "_topics", "version")

    def __init__(
        self, permissions: Iterable[Permission] = (), topics: Iterable[TopicPermission] = ()
    ) -> None:
        self._by_place = {(each.user, each.vhost): each for each in permissions}
        self._topics = {(each.user, each.vhost, each.exchange): each for each in topics}
        #: Grows with every change, so that nobody goes by an old decision.
        self.version = 0

    def __repr__(self) -> str:
        return f"<Permissions {len(self._by_place)}, of topics {len(self._topics)}>"

    # Changes

    def grant(self, permission: Permission) -> None:
        """Give a permission, in place of the one the user had in that virtual host."""
        self._by_place[permission.user, permission.vhost] = permission
        self.version += 1

    def revoke(self, user: str, vhost: str) -> None:
        """Take a permission; the user may no longer open the virtual host."""
        self._by_place.pop((user, vhost), None)
        self.version += 1

    def grant_topic(self, permission: TopicPermission) -> None:
        """Restrict a user's routing keys on an exchange, in place of the restriction before."""
        self._topics[permission.user, permission.vhost, permission.exchange] = permission
        self.version += 1

    def revoke_topic(self, user: str, vhost: str, exchange: str) -> None:
        """Take the restriction away."""
        self._topics.pop((user, vhost, exchange), None)
        self.version += 1

    def forget(self, *, user: str | None = None, vhost: str | None = None) -> None:
        """Take everything of a user, or in a virtual host, that is no more."""
        self._by_place = {
            key: kept for key, kept in self._by_place.items() if key[0] != user and key[1] != vhost
        }
        self._topics = {key: kept for key, kept in self._topics.items() if key[0] != user and key[1] != vhost}
        self.version += 1

    # Questions

    def of(self, user: str, vhost: str) -> Permission | None:
        """The user's permission in a virtual host; with None it may not open it."""
        return self._by_place.get((user, vhost))

    def topic_of(self, user: str, vhost: str, exchange: str) -> TopicPermission | None:
        """The restriction on an exchange, if there is one."""
        return self._topics.get((user, vhost, exchange))

    def is_allowed(self, user: str, vhost: str, action: str, name: str) -> bool:
        """Whether a user may configure, write to or read from a queue or exchange of that name."""
        permission = self.of(user, vhost)
        return permission is not None and _fits(getattr(permission, Action(action)), name)

    def is_topic_allowed(
        self, action: str, exchange: str, routing_key: str, variables: dict[str, str]
    ) -> bool:
        """Whether a routing key may be written or read.

        Args:
            variables: `username` and `vhost`, who is asking and where, and others that patterns may use.
        """
        permission = self.topic_of(variables["username"], variables["vhost"], exchange)
        if permission is None:
            return True
        return _fits(expanded(getattr(permission, Action(action)), variables), routing_key)

    # Records

    def records(self) -> dict[str, list[dict[str, Any]]]:
        """What the store keeps."""
        return {
            "permissions": [asdict(each) for each in self._by_place.values()],
            "topic_permissions": [asdict(each) for each in self._topics.values()],
        }

    @classmethod
    def from_records(cls, records: dict[str, list[dict[str, Any]]]) -> Permissions:
        """The permissions that records tell of."""
        return cls(
            (Permission(**record) for record in records.get("permissions", [])),
            (TopicPermission(**record) for record in records.get("topic_permissions", [])),
        )


def _fits(pattern: str, name: str) -> bool:
    try:
        return compiled(pattern).search(name) is not None
    except re.error:
        # A variable's value made nonsense of the pattern: RabbitMQ denies then, too.
        return False
