"""Resolution results: a document and what is to be said about it."""

from __future__ import annotations

from base64 import b64encode
from typing import TYPE_CHECKING, Any, Final

from penstock.sidetree.did import UNPUBLISHED, Did
from penstock.sidetree.documents import did_document
from penstock.sidetree.instants import written

if TYPE_CHECKING:
    from penstock.sidetree.anchored import Anchored
    from penstock.sidetree.methods import Method
    from penstock.sidetree.state import State

__all__ = ["canonical_id", "resolution_result"]

CONTEXT: Final = "https://w3id.org/did-resolution/v1"
ORIGIN: Final = "anchorOrigin"


def resolution_result(did: Did, state: State, method: Method) -> dict[str, Any]:
    """What is answered to who asked for this DID."""
    return {
        "@context": CONTEXT,
        "didDocument": did_document(did.text, state, method),
        "didDocumentMetadata": metadata(did, state, method),
    }


def metadata(did: Did, state: State, method: Method) -> dict[str, Any]:
    parts = {
        "canonicalId": canonical_id(state, method, did.anchor)
        if state.published or not did.initial
        else None,
        "equivalentId": equivalents(did, state, method),
        "versionId": state.version if method.dated else None,
        "created": written(state.created) if method.dated and state.published else None,
        "updated": written(state.updated) if method.dated and state.updated and state.version else None,
        "deactivated": state.deactivated,
    }
    return {name: part for name, part in parts.items() if part} | {"method": method_metadata(state, method)}


def canonical_id(state: State, method: Method, network: str = "") -> str | None:
    """The form that all other forms are equal to; an anchored method has none before the anchor.

    A DID of a test network is another than the main network's (Sidetree, "Method Versioning").
    """
    if method.anchored and not state.published:
        return None
    between = state.reference if method.anchored else network
    return ":".join(filter(None, (method.namespace, between, state.suffix)))


def equivalents(did: Did, state: State, method: Method) -> list[str]:
    """Every form that is as good, the canonical one first."""
    if not method.anchored:
        # As ION has it: who asks by the short form knows it.
        short = canonical_id(state, method, did.anchor)
        return [short] if did.initial and short else []
    anchors = (state.reference, *state.equivalents)
    if not state.published:
        here = (f"https:{method.domain}:{UNPUBLISHED}",) if method.domain else ()
        # As Orb has it, again: who asks by the short form knows it.
        anchors = (UNPUBLISHED, *here) if did.initial or not here else here
    return [f"{method.namespace}:{anchor}:{state.suffix}" for anchor in dict.fromkeys(anchors)]


def method_metadata(state: State, method: Method) -> dict[str, Any]:
    published = [operation for operation in state.operations if operation.published]
    unpublished = [operation for operation in state.operations if not operation.published]
    parts = {
        "recoveryCommitment": state.recovery_commitment,
        "updateCommitment": state.update_commitment,
        **origin(state.anchor_origin),
        "publishedOperations": once_each(published) if method.lists_published else None,
        "unpublishedOperations": list(map(shown, unpublished)) if method.lists_unpublished else None,
    }
    return {"published": state.published} | {
        name: part for name, part in parts.items() if part or name == ORIGIN
    }


def origin(told: Any) -> dict[str, Any]:
    """Orb tells it whatever it is, if it is anything."""
    return {} if told is None else {ORIGIN: told}


def once_each(operations: list[Anchored]) -> list[dict[str, Any]]:
    """Each anchor once, the earliest."""
    found: dict[str, dict[str, Any]] = {}
    for operation in operations:
        found.setdefault(operation.reference, anchored_shown(operation))
    return list(found.values())


def shown(operation: Anchored) -> dict[str, Any]:
    parts = {
        "type": operation.type,
        "operation": b64encode(operation.request).decode("ascii"),
        "transactionTime": operation.time,
        "protocolVersion": operation.protocol_version,
    }
    return parts | origin(operation.anchor_origin)


def anchored_shown(operation: Anchored) -> dict[str, Any]:
    return shown(operation) | {
        "transactionNumber": operation.number,
        "canonicalReference": operation.reference,
        **({"equivalentReferences": list(operation.equivalents)} if operation.equivalents else {}),
    }
