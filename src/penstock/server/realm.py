"""Users, permissions and virtual hosts together.

What a broker begins with, and what its store keeps of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from penstock.errors import SecurityError
from penstock.server.passwords import CHEAP, COST, Cost
from penstock.server.permissions import Permission, Permissions
from penstock.server.users import User, Users
from penstock.server.vhosts import VirtualHost, VirtualHosts
from penstock.settings import OPTIONS

if TYPE_CHECKING:
    from penstock.settings import Settings

__all__ = ["Realm"]

#: Of the record; one with another is refused, not guessed at.
VERSION: Final = 1


@dataclass(frozen=True, slots=True)
class Realm:
    """Who there is, where they may go and what they may do there."""

    users: Users
    permissions: Permissions
    vhosts: VirtualHosts

    @classmethod
    def first(cls, settings: Settings, cost: Cost = COST) -> Realm:
        """A new broker's: the default user, who may do everything in the default virtual host.

        Slow if the settings have a password of their own.
        """
        name, password, vhost = settings.default_user, settings.default_password, settings.default_vhost
        realm = cls(Users(cost=cost), Permissions(), VirtualHosts([VirtualHost(name=vhost)]))
        is_public = password == OPTIONS["default_password"].default
        realm.users.add(name, password, {"administrator"}, cost=CHEAP if is_public else cost)
        realm.permissions.grant(Permission(user=name, vhost=vhost, configure=".*", write=".*", read=".*"))
        return realm

    def record(self) -> dict[str, Any]:
        """What the store keeps: plain dictionaries, lists and texts."""
        return {
            "version": VERSION,
            "users": [user.record() for user in self.users],
            "vhosts": [host.record() for host in self.vhosts],
            **self.permissions.records(),
        }

    @classmethod
    def from_record(cls, record: dict[str, Any], cost: Cost = COST) -> Realm:
        """The realm that a record tells of.

        Raises:
            SecurityError: the record is of another version, or cannot be.
        """
        if record.get("version") != VERSION:
            raise SecurityError(f"users of version {record.get('version')}: this Penstock reads {VERSION}")
        return cls(
            Users(map(User.from_record, record["users"]), cost=cost),
            Permissions.from_records(record),
            VirtualHosts(map(VirtualHost.from_record, record["vhosts"])),
        )

    def delete_user(self, name: str) -> None:
        """Forget a user and its permissions."""
        self.users.delete(name)
        self.permissions.forget(user=name)

    def delete_vhost(self, name: str) -> None:
        """Forget a virtual host and the permissions there."""
        self.vhosts.delete(name)
        self.permissions.forget(vhost=name)
