"""The guard of one connection: says yes or no to what its user asks for, and remembers what it said.

Knows the user, the virtual host and the permissions; knows neither queues nor sockets. A decision is
forgotten as soon as any permission changes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from penstock.errors import NotPermitted
from penstock.server.operations import NEEDS

if TYPE_CHECKING:
    from penstock.server.operations import Need, Operation
    from penstock.server.permissions import Permissions

__all__ = ["Guard", "Trusting"]

#: Decisions a connection remembers: a client that invents names must not fill the memory. RabbitMQ: 12.
MOST_REMEMBERED: Final = 1024


class Guard:
    """What the user of a connection may do."""

    __slots__ = ("_decisions", "_permissions", "_topics", "_variables", "_version", "user", "vhost")

    def __init__(self, permissions: Permissions, user: str, vhost: str, client_id: str | None = None) -> None:
        """A guard for a user in a virtual host; `client_id` where the protocol has such a thing."""
        self.user = user
        self.vhost = vhost
        self._permissions = permissions
        self._variables = {} if client_id is None else {"client_id": client_id}
        self._variables |= {"username": user, "vhost": vhost}
        self._version = permissions.version
        self._decisions: dict[tuple[str, str], bool] = {}
        self._topics: dict[tuple[str, str, str], bool] = {}

    def __repr__(self) -> str:
        return f"<Guard of {self.user!r} in {self.vhost!r}, {len(self._decisions)} decisions>"

    @property
    def version(self) -> int:
        """Grows when any permission changes: what was allowed before may not be now."""
        return self._permissions.version

    def is_admitted(self) -> bool:
        """Whether the user may open the virtual host at all."""
        return self._permissions.of(self.user, self.vhost) is not None

    def check(self, operation: Operation, name: str, other: str = "") -> None:
        """Let an operation pass; NEEDS says what `name` and `other` are.

        Raises:
            NotPermitted: in RabbitMQ's words; the front answers ACCESS_REFUSED.
        """
        for need in NEEDS[operation]:
            self._check(need, other if need.is_other else name)

    def check_topic(self, action: str, exchange: str, routing_key: str) -> None:
        """Let a routing key pass, on a topic exchange: "write" to publish, "read" to bind.

        Raises:
            NotPermitted: as above.
        """
        if not self.may_topic(action, exchange, routing_key):
            raise NotPermitted(
                f"{action} access to topic '{routing_key}' in exchange {self._shown('topic', exchange)}"
                f" refused for user '{self.user}'"
            )

    def may(self, action: str, name: str) -> bool:
        """Whether the user may "configure", "write" to or "read" from a queue or exchange."""
        if self._version != self._permissions.version:
            self._forget()
        key = (action, name)
        decision = self._decisions.get(key)
        if decision is None:
            if len(self._decisions) >= MOST_REMEMBERED:
                self._decisions.clear()
            decision = self._permissions.is_allowed(self.user, self.vhost, action, name)
            self._decisions[key] = decision
        return decision

    def may_topic(self, action: str, exchange: str, routing_key: str) -> bool:
        """Whether the user may "write" or "read" with a routing key, on a topic exchange."""
        if self._permissions.topic_of(self.user, self.vhost, exchange) is None:
            return True
        if self._version != self._permissions.version:
            self._forget()
        key = (action, exchange, routing_key)
        decision = self._topics.get(key)
        if decision is None:
            if len(self._topics) >= MOST_REMEMBERED:
                self._topics.clear()
            decision = self._permissions.is_topic_allowed(action, exchange, routing_key, self._variables)
            self._topics[key] = decision
        return decision

    def _check(self, need: Need, name: str) -> None:
        if need.kind == "exchange":
            # The default exchange has no name of its own to write a pattern for (rabbit_access_control.erl).
            name = name or "amq.default"
        if not any(self.may(action, name) for action in need.actions):
            wanted = need.actions[-1]
            raise NotPermitted(
                f"{wanted} access to {self._shown(need.kind, name)} refused for user '{self.user}'"
            )

    def _shown(self, kind: str, name: str) -> str:
        return f"{kind} '{name}' in vhost '{self.vhost}'"

    def _forget(self) -> None:
        self._decisions.clear()
        self._topics.clear()
        self._version = self._permissions.version


class Trusting(Guard):
    """The guard of somebody who may do everything, whatever the permissions say: who restores a broker."""

    __slots__ = ()

    def may(self, action: str, name: str) -> bool:
        return True

    def may_topic(self, action: str, exchange: str, routing_key: str) -> bool:
        return True
