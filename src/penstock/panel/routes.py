"""Routes: which verb and path lead to which handler, and who may go there; tables of them, joined.

OpenAPI, the documentation's tests and the permissions' tests are made from the same tables.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from penstock.panel.replies import JSON, ApiFault

if TYPE_CHECKING:
    from collections.abc import Iterable

    from penstock.panel.replies import Reply

__all__ = ["ADMINISTRATOR", "MANAGEMENT", "MONITORING", "POLICYMAKER", "PUBLIC", "Handler", "Route", "Routes"]

#: The tag that a user needs; one with a higher tag has the lower ones, too (visit.py). PUBLIC needs no login.
PUBLIC: Final = ""
MANAGEMENT: Final = "management"
POLICYMAKER: Final = "policymaker"
MONITORING: Final = "monitoring"
ADMINISTRATOR: Final = "administrator"
#: Bytes of a request's body, unless the route says otherwise.
BODY_MOST: Final = 64 * 1024

#: Given the visit, and the names in the path by their names.
Handler: TypeAlias = "Callable[..., Awaitable[Reply]]"


class Route(NamedTuple):
    """Where a request goes."""

    handler: Handler
    #: One sentence, for the OpenAPI document.
    summary: str
    tag: str = MANAGEMENT
    #: What the body's JSON is converted to: a msgspec Struct, dict; bytes takes it as it is; None has none.
    body: Any = None
    body_most: int = BODY_MOST
    #: What may stand in the query, by name, and what the answer is: types, for the OpenAPI document.
    query: Mapping[str, Any] = {}
    reply: Any = None
    #: What kind of content the answer is.
    reply_kind: str = JSON
    #: What the body is like, where the handler reads it itself: kind of content → type.
    forms: Mapping[str, Any] = {}


#: (HTTP's verb, path) → route. A part of a path in braces is a name, of anything but nothing.
Table: TypeAlias = Mapping[tuple[str, str], Route]


class _Branch:
    """What follows one part of a path."""

    __slots__ = ("any", "by_part", "verbs")

    def __init__(self) -> None:
        self.by_part: dict[str, _Branch] = {}
        self.any: _Branch | None = None
        #: HTTP's verb → the route, and the names in its path in order.
        self.verbs: dict[str, tuple[Route, tuple[str, ...]]] = {}


class Routes:
    """All routes of a panel."""

    def __init__(self, tables: Iterable[Table]) -> None:
        self.table: dict[tuple[str, str], Route] = {}
        self._root = _Branch()
        for table in tables:
            for (verb, path), route in table.items():
                self._add(verb, path, route)

    def __repr__(self) -> str:
        return f"<Routes {len(self.table)}>"

    def _add(self, verb: str, path: str, route: Route) -> None:
        self.table[verb, path] = route
        branch, names = self._root, []
        for part in path.split("/")[1:]:
            if part.startswith("{"):
                names.append(part[1:-1])
                branch.any = branch.any or _Branch()
                branch = branch.any
            else:
                branch = branch.by_part.setdefault(part, _Branch())
        branch.verbs[verb] = route, tuple(names)

    def verbs(self, path: tuple[str, ...]) -> list[str]:
        """What a path takes.

        Raises:
            ApiFault: 404, there is no such path.
        """
        found = dict.fromkeys(verb for branch, _ in self._ends(self._root, path, ()) for verb in branch.verbs)
        if not found:
            raise ApiFault(404, f"there is nothing at /{'/'.join(path)[:200]}")
        return list(found)

    def find(self, verb: str, path: tuple[str, ...]) -> tuple[Route, dict[str, str]]:
        """The route for a path, and the names in it.

        Raises:
            ApiFault: 404, there is no such path; 405, it takes other verbs.
        """
        for branch, values in self._ends(self._root, path, ()):
            found = branch.verbs.get(verb) or (branch.verbs.get("GET") if verb == "HEAD" else None)
            if found is not None:
                route, names = found
                return route, dict(zip(names, values, strict=True))
        told = ", ".join(self.verbs(path))
        raise ApiFault(405, f"this path takes {told}, not {verb[:20]}", headers={"Allow": told})

    def _ends(
        self, branch: _Branch, rest: tuple[str, ...], values: tuple[str, ...]
    ) -> list[tuple[_Branch, tuple[str, ...]]]:
        """The ends of all shapes that fit, those that say more exactly what they are first."""
        if not rest:
            return [(branch, values)] if branch.verbs else []
        found = []
        exact = branch.by_part.get(rest[0])
        if exact is not None:
            found += self._ends(exact, rest[1:], values)
        if branch.any is not None and rest[0]:
            found += self._ends(branch.any, rest[1:], (*values, rest[0]))
        return found
