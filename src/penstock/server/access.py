"""Access: who may come in and what they may do, for all fronts of a broker.

Joins users, permissions and virtual hosts with the broker that keeps them.
"""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

import msgspec

from penstock.broker.definitions import Kind
from penstock.server.authentication import Authenticator, Verdict
from penstock.server.failed_logins import FailedLogins
from penstock.server.guard import Guard
from penstock.server.imported import import_definitions
from penstock.server.realm import Realm

if TYPE_CHECKING:
    from penstock.broker import Broker
    from penstock.server.authentication import Peer
    from penstock.settings import Settings
    from penstock.store import Store
    from penstock.wire.amqp import Claim

__all__ = ["Access"]

log = logging.getLogger(__name__)

#: Under which the store keeps the realm.
REALM = "realm"


class RealmDocument(msgspec.Struct):
    """Users, permissions and virtual hosts, written down."""

    record: dict[str, object]


class Access:
    """The door of a broker."""

    def __init__(self, settings: Settings, broker: Broker, realm: Realm) -> None:
        self._broker = broker
        self.realm = realm
        failed = FailedLogins(settings.max_failed_logins, settings.failed_login_window)
        self._authenticator = Authenticator(realm.users, settings, failed)

    @classmethod
    def open(cls, settings: Settings, broker: Broker, store: Store) -> Access:
        """The door as the store remembers it, or a new broker's; and what the definitions file says."""
        realm = _remembered(store)
        access = cls(settings, broker, realm or Realm.first(settings))
        if settings.definitions is not None:
            import_definitions(settings.definitions, access.realm)
        if settings.definitions is not None or realm is None:
            access.save()
            for host in access.realm.vhosts:
                broker.create_host(host.name)
        return access

    def save(self) -> None:
        """Write the realm down."""
        self._broker.definitions.put("", Kind.USER, REALM, RealmDocument(self.realm.record()))

    def mechanisms(self, peer: Peer) -> tuple[str, ...]:
        """The ways a peer may say who it is."""
        return self._authenticator.mechanisms(peer)

    def is_slowed(self, peer: Peer) -> bool:
        """Whether a peer's address has failed too often: only a password that was proved is taken from it."""
        return self._authenticator.is_slowed(peer, self._broker.clock.now())

    async def judge(self, claim: Claim, peer: Peer) -> Verdict:
        """Whether a peer is who it says."""
        now = self._broker.clock.now()
        verdict = self._authenticator.maybe_judge(claim, peer, now)
        if verdict is None:
            loop = asyncio.get_running_loop()
            verdict = await loop.run_in_executor(None, self._authenticator.judge, claim, peer, now)
        if verdict.user is None:
            log.warning("login refused: %s", verdict.detail)
        elif self.realm.users.renew(verdict.user):
            log.info("the imported password of user %r is hashed anew", verdict.user.name)
            self.save()
        return verdict

    def guard(self, user: str, host: str) -> Guard | None:
        """Who watches over a user in a virtual host; None if it may not even enter."""
        guard = Guard(self.realm.permissions, user, host)
        return guard if guard.is_admitted() else None


def _remembered(store: Store) -> Realm | None:
    for kind, key, document in store.definitions():
        if kind == Kind.USER.value and key == f"\0{REALM}":
            return Realm.from_record(msgspec.msgpack.decode(document, type=RealmDocument).record)
    return None
