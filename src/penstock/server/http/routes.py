"""Which path leads to which verb: a table."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Final, NamedTuple

from penstock.server.http import publishing, readers
from penstock.server.http.replies import HttpFault

if TYPE_CHECKING:
    from penstock.server.http.replies import Reply

__all__ = ["ROUTES", "Handler", "Route", "find"]

#: A verb: given the visit, and the names in the path after the virtual host's.
Handler = Callable[..., Awaitable["Reply"]]
#: Bytes of a request's body: of what is said in JSON, and of a table, which is sent in parts.
SAID_MOST: Final = 64 * 1024
TABLE_MOST: Final = 16 * 1024 * 1024


class Route(NamedTuple):
    """Where a request goes."""

    handler: Handler
    body_most: int = SAID_MOST


#: (HTTP's verb, path) → ours. A name in braces stands for any part of a path; the first is a virtual host.
ROUTES: Final[dict[tuple[str, str], Route]] = {
    ("PUT", "/api/readers/{vhost}/{queue}/{name}"): Route(readers.put_reader),
    ("GET", "/api/readers/{vhost}/{queue}/{name}"): Route(readers.get_reader),
    ("DELETE", "/api/readers/{vhost}/{queue}/{name}"): Route(readers.delete_reader),
    ("POST", "/api/readers/{vhost}/{queue}/{name}/lease"): Route(readers.lease),
    ("POST", "/api/readers/{vhost}/{queue}/{name}/take"): Route(readers.take),
    ("POST", "/api/readers/{vhost}/{queue}/{name}/commit"): Route(readers.commit),
    ("GET", "/api/readers/{vhost}/{queue}/{name}/range"): Route(readers.read_range),
    ("POST", "/api/readers/{vhost}/{queue}/{name}/expect"): Route(readers.expect),
    ("POST", "/api/publish/{vhost}"): Route(publishing.publish, TABLE_MOST),
}
_TABLE: Final = [(verb, tuple(path.split("/")[1:]), route) for (verb, path), route in ROUTES.items()]


def find(verb: str, path: tuple[str, ...]) -> tuple[Route, list[str]]:
    """The verb for a path, and the names in it.

    Raises:
        HttpFault: 404, there is no such path; 405, it takes other verbs.
    """
    fitting = {each: (route, shape) for each, shape, route in _TABLE if _fits(shape, path)}
    if not fitting:
        shown = "/" + "/".join(path)
        raise HttpFault(404, f"there is nothing at {shown[:200]}; docs/reference/http.md lists what there is")
    if verb not in fitting:
        allowed = ", ".join(fitting)
        raise HttpFault(405, f"this path takes {allowed}, not {verb[:20]}", headers=(("Allow", allowed),))
    route, shape = fitting[verb]
    return route, [part for part, each in zip(path, shape, strict=True) if each.startswith("{")]


def _fits(shape: tuple[str, ...], path: tuple[str, ...]) -> bool:
    return len(shape) == len(path) and all(
        each == part or (each.startswith("{") and part) for each, part in zip(shape, path, strict=True)
    )
