"""Whole requests whose every part is usual, as nearly all are that clients post."""

from __future__ import annotations

from typing import Any, Final, Literal, TypeAlias

from penstock.sidetree.usual.deltas import Delta  # noqa: TC001  msgspec reads it
from penstock.sidetree.usual.suffix_data import SuffixData  # noqa: TC001  msgspec reads it
from penstock.sidetree.usual.texts import Hash  # noqa: TC001  msgspec reads it
from penstock.sidetree.usual.usual import Shape, Usual

__all__ = ["UsualChange", "UsualCreate", "UsualEnd", "UsualRequest", "usual_request"]


class UsualCreate(Shape):
    """Begins a DID, with something in its document."""

    delta: Delta
    suffix_data: SuffixData[str]
    type: Literal["create"]


class UsualChange(Shape):
    """Changes a DID."""

    delta: Delta
    did_suffix: Hash
    reveal_value: str
    signed_data: str
    type: Literal["update", "recover"]


class UsualEnd(Shape):
    """Ends a DID."""

    did_suffix: Hash
    reveal_value: str
    signed_data: str
    type: Literal["deactivate"]


UsualRequest: TypeAlias = UsualCreate | UsualChange | UsualEnd

#: By the last letters of a request in canonical form, which ends with its type.
_SHAPES: Final[dict[bytes, Usual[Any]]] = {
    b'create"}': Usual(UsualCreate),
    b'update"}': Usual(UsualChange),
    b'ecover"}': Usual(UsualChange),
    b'tivate"}': Usual(UsualEnd),
}
_LETTERS: Final = 8


def usual_request(request: bytes) -> UsualRequest | None:
    """What a request asks for, if all of it is usual, and in canonical form.

    Not looked at are what was signed, and those hashes whose content is at hand: they are computed anew.
    """
    shape = _SHAPES.get(request[-_LETTERS:])
    found: UsualRequest | None = None if shape is None else shape.read(request)
    if found is None or isinstance(found, UsualEnd):
        return found
    if isinstance(found, UsualCreate) and not found.delta.patches[-1].adds_something():
        return None
    return found if found.delta.has_each_once() else None
