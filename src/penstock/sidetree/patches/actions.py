"""The table of actions, and the two things that are done by it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from penstock.errors import BadPatch
from penstock.sidetree.patches import also_known_as, json_patch, public_keys, replace, services
from penstock.sidetree.shapes import members

if TYPE_CHECKING:
    from penstock.sidetree.patches.action import Document
    from penstock.sidetree.protocol import Protocol

__all__ = ["ACTIONS", "apply_patch", "check_patch"]

ACTIONS: Final = {
    "add-also-known-as": also_known_as.ADD,
    "add-public-keys": public_keys.ADD,
    "add-services": services.ADD,
    "ietf-json-patch": json_patch.JSON_PATCH,
    "remove-also-known-as": also_known_as.REMOVE,
    "remove-public-keys": public_keys.REMOVE,
    "remove-services": services.REMOVE,
    "replace": replace.REPLACE,
}


def check_patch(patch: Any, protocol: Protocol) -> None:
    """Nothing happens if the protocol takes such a patch.

    Raises:
        BadPatch: it does not, with the reason.
    """
    name = patch.get("action") if isinstance(patch, dict) else None
    action = ACTIONS.get(name) if isinstance(name, str) else None
    if action is None:
        raise BadPatch(f"a patch must have an action that is known, not {str(name)[:60]!r}")
    if name not in protocol.patches:
        raise BadPatch(f"the patch {name!r} is not enabled in this version of the protocol")
    more = patch.keys() if name in protocol.open_patches else frozenset()
    members(patch, f"a patch {name!r}", {"action", action.member}, more, error=BadPatch)
    action.check(patch[action.member], protocol)


def apply_patch(document: Document, patch: dict[str, Any]) -> Document:
    """The document after a patch that was checked before.

    Raises:
        BadPatch: this document does not allow it.
    """
    action = ACTIONS[patch["action"]]
    return action.apply(document, patch[action.member])
