"""Sessions: who has logged in on the page, and until when. In memory: a restart logs everybody out.

The time comes with each call. Whether a user may still come in is asked elsewhere, see judging.py.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from penstock.server.users import User

__all__ = ["ABSOLUTE", "IDLE", "Session", "Sessions"]

#: Seconds without a request after which a session is over, and seconds after which it is in any case.
#: OWASP's sheet on sessions has 15 to 30 minutes and 4 to 8 hours; a page that watches asks each second.
IDLE: Final = 30 * 60.0
ABSOLUTE: Final = 8 * 3600.0
#: Sessions at a time; beyond, the one that was used longest ago ends.
MOST: Final = 10_000


@dataclass(slots=True, kw_only=True)
class Session:
    """One login, from one browser."""

    #: As it was at the login: with another password or other tags it is another's.
    user: User
    began: float
    used: float
    #: What the cookie says: 256 bits of chance.
    id: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)
    #: What a change must bring beside the cookie: a page of another site cannot read it.
    token: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)

    def is_over(self, now: float) -> bool:
        """Whether nobody has used it for too long, or it has lasted long enough."""
        return now - self.used >= IDLE or now - self.began >= ABSOLUTE

    def has_token(self, told: str) -> bool:
        """Whether this is its token; takes as long for a wrong one as for the right one."""
        return secrets.compare_digest(told.encode("utf-8", "replace"), self.token.encode())


class Sessions:
    """All sessions, in the order in which they were used."""

    __slots__ = ("_by_id", "_most")

    def __init__(self, most: int = MOST) -> None:
        self._by_id: dict[str, Session] = {}
        self._most = most

    def __repr__(self) -> str:
        return f"<Sessions {len(self._by_id)}>"

    def __len__(self) -> int:
        return len(self._by_id)

    def begin(self, user: User, now: float) -> Session:
        """A new session; its id was never anybody's before."""
        self._sweep(now)
        session = Session(user=user, began=now, used=now)
        self._by_id[session.id] = session
        return session

    def find(self, session_id: str, now: float, *, used: bool = True) -> Session | None:
        """The session of a cookie; None if there is none, or it is over.

        Args:
            used: whether somebody did something: what a page asks by itself keeps nobody in.
        """
        session = self._by_id.pop(session_id, None)
        if session is None or session.is_over(now):
            return None
        if used:
            session.used = now
        self._by_id[session_id] = session
        return session

    def end(self, session_id: str) -> None:
        """Log out."""
        self._by_id.pop(session_id, None)

    def _sweep(self, now: float) -> None:
        """Forget those that are over, and the oldest if there are too many."""
        for session in [each for each in self._by_id.values() if each.is_over(now)]:
            del self._by_id[session.id]
        while len(self._by_id) >= self._most:
            del self._by_id[next(iter(self._by_id))]
