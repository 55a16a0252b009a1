"""What readers of the five files share: content, members, addresses, and entries with their place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import Struct, field

from penstock.errors import BadBatchFile, SidetreeError
from penstock.sidetree.canonical import parse
from penstock.sidetree.files.compression import inflated
from penstock.sidetree.shapes import encoded_hash, members
from penstock.sidetree.usual.texts import Hash  # noqa: TC001  msgspec reads it

if TYPE_CHECKING:
    from collections.abc import Callable
    from collections.abc import Set as AbstractSet

    from penstock.sidetree.protocol import Protocol

__all__ = ["Reference", "address", "content", "each", "lists", "only", "parsed", "references"]


class Reference(Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """An operation on a DID that exists, as the index files have it; a usual shape as well."""

    suffix: Hash = field(name="didSuffix")
    reveal_value: Hash = field(name="revealValue")


def content(data: bytes, file: str, most: int, protocol: Protocol) -> Any:
    """What a compressed file says."""
    return parsed(inflated(data, file, most, protocol.max_memory_decompression_factor), file)


def parsed(content: bytes, file: str) -> Any:
    """What a file says; how deep it nests is seen where its entries are read."""
    try:
        return parse(content, any_depth=True)
    except SidetreeError as exc:
        raise BadBatchFile(file, str(exc)) from exc


def only(
    value: Any, file: str, what: str, needed: AbstractSet[str], optional: AbstractSet[str]
) -> dict[str, Any]:
    """The object, if it has what it needs and nothing unknown."""
    try:
        return members(value, what, needed, optional)
    except SidetreeError as exc:
        raise BadBatchFile(file, str(exc)) from exc


def lists(value: Any, file: str, types: AbstractSet[str]) -> dict[str, list[Any]]:
    """The member `operations`: a list for each type; one that is missing or empty is the same."""
    found = only(value, file, "operations", frozenset(), types)
    for type_, entries in found.items():
        if not isinstance(entries, list):
            raise BadBatchFile(file, f"the entries of {type_} must be a list")
    return {type_: found.get(type_, []) for type_ in types}


def address(value: Any, file: str, what: str, protocol: Protocol) -> str:
    """The address of another file."""
    if not isinstance(value, str) or not 0 < len(value) <= protocol.max_cas_uri_length:
        raise BadBatchFile(
            file, f"{what} must be an address of at most {protocol.max_cas_uri_length} letters"
        )
    return value


def each(entries: list[Any], file: str, what: str, read: Callable[[Any], Any]) -> list[Any]:
    """Every entry read; the first that cannot be is named by its place."""
    found = []
    for place, entry in enumerate(entries):
        try:
            found.append(read(entry))
        except SidetreeError as exc:
            raise BadBatchFile(file, f"{what} {place}: {exc}") from exc
    return found


def references(entries: list[Any], file: str, type_: str, protocol: Protocol) -> list[Reference]:
    """The entries of an index file for operations on DIDs that exist."""
    longest = protocol.max_operation_hash_length

    def reference(entry: Any) -> Reference:
        found = members(entry, "its entry", {"didSuffix", "revealValue"})
        return Reference(
            encoded_hash(found["didSuffix"], "didSuffix", longest),
            encoded_hash(found["revealValue"], "revealValue", longest),
        )

    return each(entries, file, type_, reference)
