"""replace: a whole new document. Orb never enabled it, ION and sidetree.js begin every DID with it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from penstock.errors import BadPatch
from penstock.sidetree.patches.action import Action, Document
from penstock.sidetree.patches.public_keys import check_keys
from penstock.sidetree.patches.services import check_services
from penstock.sidetree.shapes import members

if TYPE_CHECKING:
    from penstock.sidetree.protocol import Protocol

__all__ = ["REPLACE"]

OPTIONAL: Final = frozenset({"publicKeys", "services"})


def check(value: Any, protocol: Protocol) -> None:
    members(value, "the document of a replace patch", frozenset(), OPTIONAL, error=BadPatch)
    check_keys(value.get("publicKeys", []), protocol)
    check_services(value.get("services", []), protocol)


def apply(document: Document, replacement: Document) -> Document:
    return dict(replacement)


REPLACE: Final = Action("document", check, apply)
