"""What answers when a browser asks for a page, or for what a page is made of; and the table of both."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final
from urllib.parse import quote, urlencode

from penstock.panel.replies import ApiFault, Reply
from penstock.panel.routes import PUBLIC, Route
from penstock.panel.site.assets import ASSETS
from penstock.panel.site.pages import LOGIN, PAGES
from penstock.panel.site.shell import HTML, render, render_login
from penstock.panel.visit import NOBODY

if TYPE_CHECKING:
    from penstock.panel.routes import Table
    from penstock.panel.site.pages import Page
    from penstock.panel.visit import Visit

__all__ = ["ROUTES"]


async def show(visit: Visit, page: Page, **names: str) -> Reply:
    """A page; somebody who is not logged in is sent to do so first, and comes back then."""
    if visit.user is NOBODY:
        return Reply(status=303, headers={"Location": f"/login?{urlencode({'next': _asked(visit)})}"})
    return Reply(kind=HTML, body=render(page, visit.user.name, visit.tags).encode())


async def show_login(visit: Visit) -> Reply:
    """The page to log in on."""
    return Reply(kind=HTML, body=render_login(_within(visit.query.get("next", "/"))).encode())


async def send_asset(visit: Visit, mark: str, **names: str) -> Reply:
    """A module, a style or an icon.

    Raises:
        ApiFault: 404, there is none.
    """
    found = ASSETS.maybe_find("/".join(names.values()), accepts=visit.headers.get("accept-encoding", ""))
    if found is None:
        raise ApiFault(404, "there is no such file")
    asset, body, headers = found
    return Reply(kind=asset.kind, body=body, headers=headers | {"Cache-Control": ASSETS.caching(mark)})


def _asked(visit: Visit) -> str:
    """The path and query that were asked for."""
    path = "/" + "/".join(quote(part, safe="") for part in visit.path)
    return f"{path}?{urlencode(dict(visit.query))}" if visit.query else path


def _within(path: str) -> str:
    """A path of this site; anything that leads elsewhere becomes the first page."""
    return path if path.startswith("/") and not path.startswith(("//", "/\\")) else "/"


ROUTES: Final[Table] = {
    **{
        ("GET", page.path): Route(partial(show, page=page), f"The page: {page.title}.", PUBLIC)
        for page in PAGES
    },
    ("GET", LOGIN.path): Route(show_login, "The page to log in on.", PUBLIC),
    ("GET", "/static/{mark}/{file}"): Route(send_asset, "The style and the icon.", PUBLIC),
    ("GET", "/static/{mark}/{folder}/{file}"): Route(send_asset, "A module of the pages.", PUBLIC),
}
