"""Accounts: logins, the sessions that begin with them, and the log of what people changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from penstock.panel.accounts.audit import DONE, Audit, Entry, outcome_of
from penstock.panel.accounts.door import CookieDoor
from penstock.panel.accounts.judging import OwnJudge
from penstock.panel.accounts.sessions import Sessions
from penstock.panel.replies import OURS, ApiFault
from penstock.server.failed_logins import FailedLogins

if TYPE_CHECKING:
    from pathlib import Path

    from penstock.clock import Clock
    from penstock.panel.accounts.judging import Judge
    from penstock.panel.accounts.sessions import Session
    from penstock.server.access import Access
    from penstock.server.authentication import Peer
    from penstock.settings import Settings

__all__ = ["Accounts"]

LOGIN: Final = "POST /login"
#: Failed logins from an address that are told of within a window, where nobody is refused for them.
MOST_TOLD: Final = 20


class Accounts:
    """Who is in. `close` it at the end."""

    def __init__(self, judge: Judge, settings: Settings, clock: Clock, folder: Path | None = None) -> None:
        """Accounts of the users that `judge` knows.

        Args:
            folder: where the audit log is kept; without one it is in memory.
        """
        self.clock = clock
        self.sessions = Sessions()
        self.audit = Audit(folder)
        self.door = CookieDoor(self)
        self._judge = judge
        self._window_in = settings.failed_login_window
        #: Failures that the audit log was told of, by address.
        self._told = FailedLogins(settings.max_failed_logins or MOST_TOLD, settings.failed_login_window)

    @classmethod
    def of(cls, access: Access, settings: Settings, clock: Clock) -> Accounts:
        """Those of the broker in this process."""
        return cls(OwnJudge(access), settings, clock, settings.data)

    def __repr__(self) -> str:
        return f"<Accounts {self.sessions!r}, {self.audit!r}>"

    async def login(self, name: str, password: str, peer: Peer) -> Session:
        """Begin a session; the audit log is told of it, and of tries that fail, but not of all of a flood.

        Raises:
            ApiFault: 429, somebody guesses passwords from there; 401, it is not their password.
        """
        status = OURS
        try:
            session = await self._login(name, password, peer)
            status = 204
        except ApiFault as fault:
            status = fault.status
            raise
        finally:
            await self._tell(name, peer.address, status)
        return session

    async def _tell(self, name: str, address: str, status: int) -> None:
        now, outcome = self.clock.now(), outcome_of(status)
        if outcome != DONE:
            if self._told.is_over(address, now):
                return
            self._told.add(address, now)
        # Some type their password where the name belongs.
        who = name if self._judge.knows(name) else ""
        entry = Entry(at=now, who=who, address=address, what=LOGIN, status=status, outcome=outcome)
        await self.audit.add(entry)

    async def _login(self, name: str, password: str, peer: Peer) -> Session:
        # By address, and never by name: whoever knows a name could lock its owner out.
        if self._judge.is_slowed(peer) and not self._judge.is_remembered(name, password):
            raise ApiFault(
                429,
                "too many failed logins from your address: wait a little, then try again",
                headers={"Retry-After": f"{self._window_in:.0f}"},
            )
        user = await self._judge.judge(name, password, peer)
        if user is None:
            raise ApiFault(401, "this is not a user of this broker, or not the password; its log says more")
        return self.sessions.begin(user, self.clock.now())

    def found(self, session_id: str, *, used: bool = True) -> Session | None:
        """The session of a cookie, unless it is over or its user has changed since."""
        session = self.sessions.find(session_id, self.clock.now(), used=used)
        if session is not None and not self._judge.is_still(session.user):
            self.sessions.end(session_id)
            return None
        return session

    def close(self) -> None:
        """Let go of the log's file."""
        self.audit.close()
