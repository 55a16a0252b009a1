"""The four operations, as values: read from a request, and written as one again.

Reading asks for what an operation is made of and nothing more. Who takes operations in asks more
(ingestion), and whether one changes a DID shows when the DID is resolved (resolution). A create or recover
whose delta is of no use is an operation all the same: it still moves the commitments.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeAlias

from msgspec import Struct

from penstock.errors import InvalidOperation
from penstock.sidetree.canonical import canonical, parse
from penstock.sidetree.multihash import hashed
from penstock.sidetree.shapes import encoded_hash, members
from penstock.sidetree.signed_data import SignedData, read_signed_data
from penstock.sidetree.suffix_data import check_suffix_data

if TYPE_CHECKING:
    from penstock.sidetree.protocol import Protocol

__all__ = [
    "TYPES",
    "Create",
    "Deactivate",
    "Operation",
    "Recover",
    "Update",
    "read_operation",
    "request_of",
]

TYPES: Final = ("create", "recover", "update", "deactivate")


class Create(Struct, frozen=True, gc=False):
    """Begins a DID, whose suffix is the hash of the suffix data."""

    suffix: str
    suffix_data: dict[str, Any]
    delta: Any
    type: str = "create"

    @property
    def anchor_origin(self) -> Any:
        """Who knows the latest anchor of this DID."""
        return self.suffix_data.get("anchorOrigin")


class Update(Struct, frozen=True, gc=False):
    """Changes the document."""

    suffix: str
    reveal_value: str
    compact: str
    signed: SignedData
    delta: Any
    type: str = "update"


class Recover(Struct, frozen=True, gc=False):
    """Begins the document anew, and changes both commitments."""

    suffix: str
    reveal_value: str
    compact: str
    signed: SignedData
    delta: Any
    type: str = "recover"

    @property
    def anchor_origin(self) -> Any:
        """Who knows the latest anchor of this DID from now on."""
        return self.signed.said.get("anchorOrigin")


class Deactivate(Struct, frozen=True, gc=False):
    """Ends the DID."""

    suffix: str
    reveal_value: str
    compact: str
    signed: SignedData
    type: str = "deactivate"


Operation: TypeAlias = Create | Update | Recover | Deactivate

CREATE: Final = frozenset({"type", "suffixData", "delta"})
SIGNED: Final = frozenset({"type", "didSuffix", "revealValue", "signedData"})


def read_operation(request: bytes, protocol: Protocol) -> Operation:
    """The operation that a request asks for.

    Raises:
        SidetreeError: it asks for none: MalformedJson, BadSignature, BadKey or InvalidOperation.
    """
    value = parse(request)
    type_ = value.get("type") if isinstance(value, dict) else None
    if type_ == "create":
        members(value, "a create request", CREATE - {"delta"}, CREATE)
        check_suffix_data(value["suffixData"], protocol)
        return Create(hashed(value["suffixData"]), value["suffixData"], value.get("delta"))
    if type_ not in TYPES:
        raise InvalidOperation(
            f"the type of an operation is one of {', '.join(TYPES)}, not {str(type_)[:50]!r}"
        )
    members(value, f"a {type_} request", SIGNED, {"delta"} if type_ != "deactivate" else frozenset())
    suffix, reveal_value, compact = value["didSuffix"], value["revealValue"], value["signedData"]
    encoded_hash(suffix, "didSuffix", protocol.max_operation_hash_length)
    encoded_hash(reveal_value, "revealValue", protocol.max_operation_hash_length)
    signed = read_signed_data(type_, compact, protocol)
    if type_ == "deactivate":
        return Deactivate(suffix, reveal_value, compact, signed)
    kind = Update if type_ == "update" else Recover
    return kind(suffix, reveal_value, compact, signed, value.get("delta"))


def request_of(operation: Operation) -> bytes:
    """The request that asks for this operation, in canonical form."""
    if isinstance(operation, Create):
        parts = {"suffixData": operation.suffix_data, "delta": operation.delta}
    else:
        parts = {
            "didSuffix": operation.suffix,
            "revealValue": operation.reveal_value,
            "signedData": operation.compact,
        }
        if not isinstance(operation, Deactivate):
            parts["delta"] = operation.delta
    return canonical({"type": operation.type, **parts})
