"""add-services and remove-services."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from penstock.errors import BadPatch
from penstock.sidetree.patches.action import Action, Document
from penstock.sidetree.patches.values import (
    check_id,
    check_unique,
    entries,
    is_object,
    merged,
    without,
)

if TYPE_CHECKING:
    from penstock.sidetree.protocol import Protocol

__all__ = ["ADD", "REMOVE", "check_services"]

NEEDED: Final = frozenset({"id", "type", "serviceEndpoint"})
#: Letters of a type, or bytes.
LONGEST_TYPE: Final = 30


def check_add(value: Any, protocol: Protocol) -> None:
    check_services(entries(value, "services", protocol), protocol)


def check_services(services: Any, protocol: Protocol) -> None:
    """A list of services, each with an id of its own; `replace` has one too."""
    if not isinstance(services, list):
        raise BadPatch("services must be a list")
    for service in services:
        check_service(service, protocol)
    check_unique([service["id"] for service in services], "the service")


def check_service(service: Any, protocol: Protocol) -> None:
    """Beside what it must have, a service may say what it likes where the protocol lets it."""
    if not isinstance(service, dict) or not service.keys() >= NEEDED:
        raise BadPatch(f"a service must have {', '.join(sorted(NEEDED))}")
    what = f"the service {check_id(service['id'], 'a service')!r}"
    if len(service) > len(NEEDED) and not protocol.open_services:
        raise BadPatch(f"{what} has no member {min(service.keys() - NEEDED)[:50]!r}")
    check_type(service["type"], what, protocol)
    check_endpoint(service["serviceEndpoint"], f"the endpoint of {what}", protocol)


def check_type(kind: Any, what: str, protocol: Protocol) -> None:
    shortest, unit = 0 if protocol.empty_texts else 1, "bytes" if protocol.bytes_counted else "letters"
    if isinstance(kind, str):
        length = len(kind.encode()) if protocol.bytes_counted else len(kind)
        if shortest <= length <= LONGEST_TYPE:
            return
    raise BadPatch(f"{what} must have a type of {shortest} to {LONGEST_TYPE} {unit}")


def check_endpoint(endpoint: Any, what: str, protocol: Protocol) -> None:
    """A URI, an object, or a list of these."""
    if isinstance(endpoint, list) and not protocol.endpoint_lists:
        raise BadPatch(f"{what} must be one, not a list")
    listed = endpoint if isinstance(endpoint, list) else [endpoint]
    if not listed:
        raise BadPatch(f"{what} must list something")
    for entry in listed:
        if is_object(entry, protocol):
            continue
        if not isinstance(entry, str) or not protocol.endpoints.fullmatch(entry):
            raise BadPatch(f"{what} must be a URI, not {str(entry)[:60]!r}")


def apply_add(document: Document, services: list[Any]) -> Document:
    return {**document, "services": merged(document.get("services", []), services)}


def check_remove(value: Any, protocol: Protocol) -> None:
    for name in entries(value, "ids", protocol):
        check_id(name, "a service")


def apply_remove(document: Document, ids: list[str]) -> Document:
    # Where none were ever listed, no list appears: ION shows one that is there and empty.
    if "services" not in document:
        return document
    return {**document, "services": without(document["services"], ids)}


ADD: Final = Action("services", check_add, apply_add)
REMOVE: Final = Action("ids", check_remove, apply_remove)
