"""What the parts of documents have in common: identifiers and lists."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from penstock.errors import BadPatch

if TYPE_CHECKING:
    from penstock.sidetree.protocol import Protocol

__all__ = ["check_id", "check_unique", "entries", "is_object", "merged", "without"]

#: Letters of the identifier of a key or a service, and how many (Sidetree, "DID State Patches").
ID: Final = re.compile(r"[A-Za-z0-9_-]{1,50}")


def check_id(value: Any, what: str) -> str:
    """The identifier of a key or a service."""
    if not isinstance(value, str) or not ID.fullmatch(value):
        raise BadPatch(f"the id of {what} must be 1 to 50 letters of base64url, not {str(value)[:60]!r}")
    return value


def check_unique(values: list[str], what: str) -> None:
    """Each once."""
    seen: set[str] = set()
    for value in values:
        if value in seen:
            raise BadPatch(f"{what} {value[:60]!r} stands twice in one patch")
        seen.add(value)


def entries(value: Any, what: str, protocol: Protocol) -> list[Any]:
    """The list of a patch, or of patches; whether it may be empty is the protocol's business."""
    if not isinstance(value, list):
        raise BadPatch(f"{what} must be a list")
    if not value and not protocol.empty_lists:
        raise BadPatch(f"{what} must list something")
    return value


def is_object(value: Any, protocol: Protocol) -> bool:
    """Whether the protocol takes this for an object."""
    return isinstance(value, dict) or (value is None and protocol.null_objects)


def merged(present: list[Any], added: list[Any]) -> list[Any]:
    """Those that are there and those that come: who has the same id takes the other's place."""
    return list({entry["id"]: entry for entry in (*present, *added)}.values())


def without(present: list[Any], ids: list[str]) -> list[Any]:
    """Those that stay. Nobody minds an id that is not there."""
    gone = set(ids)
    return [entry for entry in present if entry["id"] not in gone]
