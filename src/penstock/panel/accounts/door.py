"""The page's door: a session's cookie, and for changes the token that only our own page can read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from penstock.panel.accounts import cookie
from penstock.panel.entering import READING, peer_of
from penstock.panel.replies import ApiFault

if TYPE_CHECKING:
    from starlette.requests import HTTPConnection

    from penstock.panel.accounts.accounts import Accounts
    from penstock.panel.accounts.sessions import Session
    from penstock.panel.panel import Panel
    from penstock.server.users import User

__all__ = ["TOKEN_HEADER", "CookieDoor", "session_of"]

TOKEN_HEADER: Final = "x-csrf-token"  # noqa: S105 (the name of a header)
#: Whoever logs in has no token yet, and may have an old cookie.
LOGIN: Final = "/login"
#: What the live socket writes on what it asks for by itself: perhaps nobody sits before the page.
UNATTENDED: Final = "penstock.unattended"


class CookieDoor:
    """Lets in who has logged in on the page."""

    def __init__(self, accounts: Accounts) -> None:
        self._accounts = accounts

    async def admit(self, panel: Panel, request: HTTPConnection) -> User | None:
        """The session's user; None without a session, or if it is over.

        Raises:
            ApiFault: 403, a change without the session's token.
        """
        if "authorization" in request.headers:
            return None  # a tool says who asks, and that is who asks
        session = session_of(self._accounts, request)
        if session is None:
            return None
        # Known from here on, even if what is asked for is refused: the audit log tells who it was.
        request.scope["user"] = session.user
        is_change = request.scope.get("method", "GET") not in READING and request.url.path != LOGIN
        if is_change and not session.has_token(request.headers.get(TOKEN_HEADER, "")):
            raise ApiFault(403, f"a change by cookie needs the session's token in the header {TOKEN_HEADER}")
        return session.user


def session_of(accounts: Accounts, request: HTTPConnection) -> Session | None:
    """The session that a request's cookie names, if it is a good one."""
    session_id = cookie.read(request.headers.get("cookie", ""), is_tls=peer_of(request).is_tls)
    if not session_id:
        return None
    return accounts.found(session_id, used=not request.scope.get(UNATTENDED))
