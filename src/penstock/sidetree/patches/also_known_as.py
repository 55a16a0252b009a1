"""add-also-known-as and remove-also-known-as."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from penstock.errors import BadPatch
from penstock.sidetree.go_uris import NAMES, rewritten
from penstock.sidetree.patches.action import Action, Document
from penstock.sidetree.patches.values import check_unique, entries

if TYPE_CHECKING:
    from penstock.sidetree.protocol import Protocol

__all__ = ["ADD", "REMOVE", "names"]


def check(value: Any, protocol: Protocol) -> None:
    for uri in entries(value, "uris", protocol):
        # DID Core §5.1.3 wants a scheme. Orb, which alone has these patches, does not ask for one, and a
        # whole batch would be refused for it.
        if not isinstance(uri, str) or not NAMES.fullmatch(uri):
            raise BadPatch(f"another name of the subject must be a URI, not {str(uri)[:60]!r}")
    check_unique(list(map(rewritten, value)), "the URI")


def names(document: Document) -> list[str]:
    """Those that are there; ietf-json-patch may have put anything in their place."""
    present = document.get("alsoKnownAs")
    return [uri for uri in present if isinstance(uri, str)] if isinstance(present, list) else []


def apply_add(document: Document, uris: list[str]) -> Document:
    return {**document, "alsoKnownAs": list(dict.fromkeys((*names(document), *uris)))}


def apply_remove(document: Document, uris: list[str]) -> Document:
    return {**document, "alsoKnownAs": [uri for uri in names(document) if uri not in uris]}


ADD: Final = Action("uris", check, apply_add)
REMOVE: Final = Action("uris", check, apply_remove)
