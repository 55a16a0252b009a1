"""The session's cookies, as headers say them. Pure.

One names the session: no script can read it (HttpOnly). The other has the token that a change must bring in a
header of its own: the page's script reads it, a page of another site cannot. Neither is sent along with what
another site's page asks for (SameSite=Strict), and behind TLS neither travels without (Secure). There the
first one's name says so: a browser believes `__Host-` only of a cookie that is secure, of this very host and
of every path (RFC 6265bis §4.1.3.2).
"""

from __future__ import annotations

from http.cookies import CookieError, SimpleCookie
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from penstock.panel.accounts.sessions import Session

__all__ = ["SESSION", "TOKEN", "cleared", "read", "written"]

SESSION: Final = "penstock_session"
TOKEN: Final = "penstock_csrf"  # noqa: S105 (the name of a cookie)
_TERMS: Final = "Path=/; SameSite=Strict"
_OVER: Final = "Max-Age=0; "


def written(session: Session, *, is_tls: bool) -> list[str]:
    """The headers Set-Cookie that begin a session; it ends with the browser at the latest."""
    return _both(session.id, session.token, "", is_tls=is_tls)


def cleared(*, is_tls: bool) -> list[str]:
    """The headers Set-Cookie that end it."""
    return _both("", "", _OVER, is_tls=is_tls)


def read(header: str, *, is_tls: bool) -> str:
    """The session that a request's Cookie header names; empty if it names none."""
    try:
        found = SimpleCookie(header).get(_session_name(is_tls=is_tls))
    except CookieError:
        return ""
    return "" if found is None else found.value


def _both(session: str, token: str, age: str, *, is_tls: bool) -> list[str]:
    terms = f"{age}{_TERMS}; Secure" if is_tls else f"{age}{_TERMS}"
    return [f"{_session_name(is_tls=is_tls)}={session}; {terms}; HttpOnly", f"{TOKEN}={token}; {terms}"]


def _session_name(*, is_tls: bool) -> str:
    return f"__Host-{SESSION}" if is_tls else SESSION
