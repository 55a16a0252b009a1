"""ietf-json-patch (RFC 6902), on everything but keys and services, which have patches of their own.

What can be told from the patch alone is little, as in Orb: where it points. All else shows when it is
applied; then the document stays as it was, and the commitments advance all the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from penstock.errors import BadPatch
from penstock.sidetree.canonical import canonical
from penstock.sidetree.depth import too_deep
from penstock.sidetree.patches.action import Action, Document
from penstock.sidetree.patches.json_pointer import added, found, removed, steps
from penstock.sidetree.patches.values import entries

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.sidetree.protocol import Protocol

__all__ = ["JSON_PATCH"]

#: By the beginning of the path, as Orb tells them.
KEPT: Final = ("/publicKey", "/service")

#: Of a document in canonical form, after something in it was copied. Forty copies fit into a delta, and who
#: looks at it pays for each: with ten times as many bytes, one create kept a domain busy for half a second.
LARGEST: Final = 10_000


def check(value: Any, protocol: Protocol) -> None:
    for change in entries(value, "patches", protocol):
        if not isinstance(change, dict) or not steps(change.get("path")):
            raise BadPatch("a change of ietf-json-patch must have a path")
        # A value that is moved away is changed where it was.
        touched = [change["path"], *([change.get("from")] if change.get("op") == "move" else [])]
        if any(isinstance(path, str) and path.startswith(KEPT) for path in touched):
            raise BadPatch("public keys and services are changed by patches of their own")


def add(document: Any, change: dict[str, Any]) -> Any:
    return added(document, change["path"], needed(change, "value"))


def remove(document: Any, change: dict[str, Any]) -> Any:
    return removed(document, change["path"])[0]


def replace(document: Any, change: dict[str, Any]) -> Any:
    return add(remove(document, change), change)


def move(document: Any, change: dict[str, Any]) -> Any:
    source = needed(change, "from")
    if change["path"].startswith(f"{source}/"):
        raise BadPatch("nothing can be moved into itself")
    without, value = removed(document, source)
    return added(without, change["path"], value)


def copy(document: Any, change: dict[str, Any]) -> Any:
    grown = added(document, change["path"], found(document, needed(change, "from")))
    # A document copied into itself again and again would double with each of forty changes in a delta.
    if too_deep(grown) or len(canonical(grown)) > LARGEST:
        raise BadPatch(f"a document may not grow beyond {LARGEST} bytes by copying")
    return grown


def test(document: Any, change: dict[str, Any]) -> Any:
    value = found(document, change["path"])
    # Compared as JSON: 1 and 1.0 are the same number there, and 1 is not true. No delta has what is so deep.
    if too_deep(value) or canonical(value) != canonical(needed(change, "value")):
        raise BadPatch(f"what stands at {change['path'][:60]!r} is something else")
    return document


CHANGES: Final[dict[Any, Callable[[Any, dict[str, Any]], Any]]] = {
    "add": add,
    "copy": copy,
    "move": move,
    "remove": remove,
    "replace": replace,
    "test": test,
}


def needed(change: dict[str, Any], member: str) -> Any:
    if member not in change:
        raise BadPatch(f"a change of ietf-json-patch has no {member!r}")
    return change[member]


def apply(document: Document, changes: list[Any]) -> Document:
    for change in changes:
        verb = change.get("op")
        if not isinstance(verb, str) or verb not in CHANGES:
            raise BadPatch(f"ietf-json-patch knows no {str(verb)[:60]!r}")
        document = CHANGES[verb](document, change)
    return document


JSON_PATCH: Final = Action("patches", check, apply)
