"""Login, logout, who is in, and what was changed: the routes of accounts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final
from urllib.parse import parse_qs

import msgspec

from penstock.panel.accounts import cookie
from penstock.panel.accounts.audit import KEPT, Entry
from penstock.panel.accounts.sessions import ABSOLUTE, IDLE
from penstock.panel.replies import JSON, ApiFault, Reply, json_reply
from penstock.panel.routes import ADMINISTRATOR, MANAGEMENT, PUBLIC, Route
from penstock.panel.site.shell import HTML, render_login

if TYPE_CHECKING:
    from penstock.panel.routes import Table
    from penstock.panel.visit import Visit

__all__ = ["ROUTES", "Credentials", "Whoami"]

FORM: Final = "application/x-www-form-urlencoded"
SEE_OTHER: Final = 303
#: Where a form goes that does not say where.
HOME: Final = "/"
LOGIN: Final = "/login"


class Credentials(msgspec.Struct, kw_only=True):
    """Who wants to log in."""

    username: Annotated[str, msgspec.Meta(max_length=255)]
    password: Annotated[str, msgspec.Meta(max_length=1024)]
    #: The page to go to, for forms.
    next: str = HOME


class Whoami(msgspec.Struct, kw_only=True):
    """Who is in, and until when if nothing happens and if something does."""

    name: str
    tags: list[str]
    #: Seconds without a request, and in all, after which a session is over.
    idle: float
    longest: float


async def login(visit: Visit) -> Reply:
    """Begin a session."""
    if visit.headers.get("content-type", "").partition(";")[0].strip().lower() == FORM:
        return await _login_by_form(visit)
    return Reply(status=204, cookies=await _cookies(visit, _from_json(visit.body)))


async def _login_by_form(visit: Visit) -> Reply:
    """A person before a page without script: led to where they wanted to go, or shown the form again."""
    said = Credentials(username="", password="")
    try:
        said = _from_form(visit.body)
        cookies = await _cookies(visit, said)
    except ApiFault as fault:
        page = render_login(_own(said.next), username=said.username, refusal=str(fault))
        return Reply(status=fault.status, kind=HTML, body=page.encode(), headers=fault.headers)
    return Reply(status=SEE_OTHER, headers={"Location": _own(said.next)}, cookies=cookies)


async def _cookies(visit: Visit, said: Credentials) -> tuple[str, ...]:
    session = await visit.panel.accounts.login(said.username, said.password, visit.peer)
    return tuple(cookie.written(session, is_tls=visit.peer.is_tls))


async def logout(visit: Visit) -> Reply:
    """End the session, if there is one."""
    is_tls = visit.peer.is_tls
    visit.panel.accounts.sessions.end(cookie.read(visit.headers.get("cookie", ""), is_tls=is_tls))
    return Reply(status=204, cookies=tuple(cookie.cleared(is_tls=is_tls)))


async def session(visit: Visit) -> Reply:
    """Who asks."""
    tags = sorted(visit.user.tags)
    return json_reply(Whoami(name=visit.user.name, tags=tags, idle=IDLE, longest=ABSOLUTE))


async def audit(visit: Visit) -> Reply:
    """The last changes, the newest first."""
    return json_reply(visit.panel.accounts.audit.newest(visit.number("limit", KEPT, most=KEPT)))


def _from_json(body: bytes) -> Credentials:
    try:
        return msgspec.json.decode(body, type=Credentials)
    except (msgspec.MsgspecError, UnicodeDecodeError) as wrong:
        raise ApiFault(400, "a login is JSON with username and password, or a form with these") from wrong


def _from_form(body: bytes) -> Credentials:
    try:
        fields = parse_qs(body.decode(), max_num_fields=10, strict_parsing=True)
        return msgspec.convert({name: values[0] for name, values in fields.items()}, Credentials)
    except (msgspec.MsgspecError, ValueError) as wrong:
        raise ApiFault(400, "the login's form has the fields username and password") from wrong


def _own(path: str) -> str:
    """A path of this panel; what leads elsewhere is not followed."""
    is_own = path.startswith("/") and not path.startswith(("//", "/\\")) and path.isprintable()
    return path if is_own and path.isascii() else HOME


ROUTES: Final[Table] = {
    ("POST", "/login"): Route(
        login,
        "Begin a session.",
        PUBLIC,
        body=bytes,
        body_most=8 * 1024,
        forms={JSON: Credentials, FORM: Credentials},
    ),
    ("POST", "/logout"): Route(logout, "End the session.", PUBLIC),
    ("GET", "/api/penstock/session"): Route(session, "Say who is logged in.", MANAGEMENT, reply=Whoami),
    ("GET", "/api/penstock/audit"): Route(
        audit, "List the last changes.", ADMINISTRATOR, query={"limit": int}, reply=list[Entry]
    ),
}
