"""Entering: who a beanstalk client is, and what it may do.

The protocol knows no users. A client on the broker's own machine is the guest that everybody there could log
in as, while there is one with the password that everybody knows; others, and who wants to be somebody else,
say `auth USER PASSWORD`, each percent-encoded as in a URL.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote

from penstock.settings import OPTIONS
from penstock.wire.amqp import Claim

if TYPE_CHECKING:
    from penstock.server.access import Access
    from penstock.server.authentication import Peer
    from penstock.server.guard import Guard
    from penstock.server.users import User

__all__ = ["Entering"]

#: As every new broker has it.
GUEST: Final[str] = OPTIONS["default_user"].default
PASSWORD: Final[str] = OPTIONS["default_password"].default


class Entering:
    """The door of one virtual host."""

    def __init__(self, access: Access, host: str) -> None:
        self._access = access
        self._host = host
        #: The guest as it was when it was last seen, and whether its password is the one everybody knows.
        self._guest: tuple[User, bool] | None = None

    async def as_guest(self, peer: Peer) -> Guard | None:
        """What a client may do that does not say who it is; None is nothing."""
        users = self._access.realm.users
        if not peer.is_local or GUEST not in users:
            return None
        user = users.get(GUEST)
        if self._guest is None or self._guest[0] is not user:
            loop = asyncio.get_running_loop()
            proved = await loop.run_in_executor(None, users.proved, GUEST, PASSWORD)
            self._guest = user, proved is not None
        return self._access.guard(GUEST, self._host) if self._guest[1] else None

    async def as_user(self, name: str, password: str, peer: Peer) -> Guard | None:
        """What a client may do that says who it is; None if it is not, or may not enter."""
        claim = Claim("PLAIN", unquote(name), unquote(password))
        verdict = await self._access.judge(claim, peer)
        return None if verdict.user is None else self._access.guard(verdict.user.name, self._host)
