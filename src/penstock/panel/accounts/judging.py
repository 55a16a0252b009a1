"""Judging: whether somebody is who they say, and still may be in. A port, and the broker's own judge."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from penstock.wire.amqp import Claim

if TYPE_CHECKING:
    from penstock.server.access import Access
    from penstock.server.authentication import Peer
    from penstock.server.users import User

__all__ = ["Judge", "OwnJudge"]


class Judge(Protocol):
    """Knows the users."""

    async def judge(self, name: str, password: str, peer: Peer) -> User | None:
        """The user, if the password is theirs and they may come from there."""
        ...

    def is_remembered(self, name: str, password: str) -> bool:
        """Whether this password was proved before, so that it is no guess."""
        ...

    def is_slowed(self, peer: Peer) -> bool:
        """Whether too many guesses have come from there."""
        ...

    def knows(self, name: str) -> bool:
        """Whether somebody is called so."""
        ...

    def is_still(self, user: User) -> bool:
        """Whether the user is the same as when they came in."""
        ...


class OwnJudge:
    """The door of the broker in this process: its users, and its count of failed logins by address."""

    def __init__(self, access: Access) -> None:
        self._access = access

    async def judge(self, name: str, password: str, peer: Peer) -> User | None:
        verdict = await self._access.judge(Claim("PLAIN", name, password), peer)
        # As the user is by now: an imported password has just been hashed anew.
        return None if verdict.user is None else self._access.realm.users.get(verdict.user.name)

    def is_remembered(self, name: str, password: str) -> bool:
        return self._access.realm.users.remembered(name, password) is not None

    def is_slowed(self, peer: Peer) -> bool:
        return self._access.is_slowed(peer)

    def knows(self, name: str) -> bool:
        return name in self._access.realm.users

    def is_still(self, user: User) -> bool:
        users = self._access.realm.users
        return user.name in users and users.get(user.name) == user
