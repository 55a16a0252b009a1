"""Visit: one request of a known user, on its way through a handler."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from penstock.errors import NotPermitted, UnknownVirtualHost
from penstock.panel.replies import ApiFault
from penstock.panel.routes import ADMINISTRATOR, MANAGEMENT, MONITORING, POLICYMAKER, PUBLIC
from penstock.server.authentication import Peer
from penstock.server.users import User

if TYPE_CHECKING:
    from collections.abc import Mapping

    from penstock.broker import Broker
    from penstock.broker.host import VirtualHost
    from penstock.panel.panel import Panel
    from penstock.server.amqp.front import AmqpFront
    from penstock.server.guard import Guard

__all__ = ["NOBODY", "Visit"]

#: What a tag stands for beside itself (rabbitmq.com/docs/management#permissions).
IMPLIED: Final = {
    ADMINISTRATOR: frozenset({ADMINISTRATOR, MONITORING, POLICYMAKER, MANAGEMENT}),
    MONITORING: frozenset({MONITORING, MANAGEMENT}),
    POLICYMAKER: frozenset({POLICYMAKER, MANAGEMENT}),
}
#: Who visits what is public, without a login.
NOBODY: Final = User(name="nobody")


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    """What a handler is given."""

    panel: Panel
    user: User
    verb: str = "GET"
    #: The parts of the path, decoded one by one: a name may have slashes.
    path: tuple[str, ...] = ()
    query: Mapping[str, str] = field(default_factory=dict)
    #: Names in lower case.
    headers: Mapping[str, str] = field(default_factory=dict)
    #: As the route's body type has it.
    body: Any = None
    peer: Peer = field(default_factory=lambda: Peer(address=""))

    @property
    def broker(self) -> Broker:
        """The broker that the panel stands before."""
        return self.panel.embedded.broker

    @property
    def front(self) -> AmqpFront:
        """Its AMQP front, with the door and the settings."""
        return self.panel.embedded.front

    def number(self, name: str, otherwise: int, *, most: int) -> int:
        """A whole number of the query, from 0 to `most`; what is more is that.

        Raises:
            ApiFault: 400, it is none.
        """
        text = self.query.get(name, str(otherwise))
        if not (text.isascii() and text.isdecimal()):
            raise ApiFault(400, f"the query names {name} as a whole number, such as ?{name}={otherwise}")
        # A number with more digits is more, whatever they are: none is read that could take long.
        return min(int(text), most) if len(text) <= len(str(most)) + 1 else most

    # Who may

    @property
    def tags(self) -> frozenset[str]:
        """The user's tags, and what they stand for."""
        return self.user.tags.union(*(IMPLIED.get(tag, ()) for tag in self.user.tags))

    def demand(self, tag: str) -> None:
        """Let pass who has a tag, or a higher one.

        Raises:
            ApiFault: 403, this user does not.
        """
        if tag != PUBLIC and tag not in self.tags:
            raise ApiFault(403, f"user '{self.user.name}' needs the tag {tag} for that")

    @property
    def sees_all(self) -> bool:
        """Whether the user is told of everybody's connections, and of every virtual host."""
        return MONITORING in self.tags

    def may_enter(self, vhost: str) -> bool:
        """Whether the user has any permission in a virtual host."""
        return self.front.access.realm.permissions.of(self.user.name, vhost) is not None

    def hosts(self) -> list[VirtualHost]:
        """The virtual hosts that the user is told of."""
        hosts = self.broker.hosts.values()
        return [host for host in hosts if self.sees_all or self.may_enter(host.name)]

    def host(self, name: str) -> VirtualHost:
        """A virtual host, to look at.

        Raises:
            UnknownVirtualHost: there is none.
            NotPermitted: it is not for this user.
        """
        host = self.broker.hosts.get(name)
        if host is None:
            raise UnknownVirtualHost(f"there is no virtual host '{name}'")
        if not self.sees_all and not self.may_enter(name):
            raise _closed(name, self.user)
        return host

    def guard(self, name: str) -> Guard:
        """Who watches over what the user does in a virtual host; to look, `host` is enough.

        Raises:
            UnknownVirtualHost: there is none.
            NotPermitted: the user has no permission there.
        """
        self.host(name)
        guard = self.front.access.guard(self.user.name, name)
        if guard is None:
            raise _closed(name, self.user)
        return guard


def _closed(name: str, user: User) -> NotPermitted:
    return NotPermitted(f"access to virtual host '{name}' is refused for user '{user.name}'")
