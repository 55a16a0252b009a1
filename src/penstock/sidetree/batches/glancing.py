"""A queued operation whose every part is usual, judged at one look; of all others nothing is said here.

Usual bytes are canonical: they are hashed as they stand, and are the parts of the files as they stand. To
parse them into values, check those one by one, and write them again takes ten microseconds more for an
operation, and a verified signature is eighty. Only the plain road can say no, and why: what is not clearly
in order here, even if it is only late, is looked at there from the beginning.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from penstock.errors import InvalidOperation, SidetreeError
from penstock.sidetree.base64url import encode
from penstock.sidetree.files.parts import Part, part_of_request
from penstock.sidetree.ingestion import (
    check_apart,
    check_new,
    check_origin,
    check_signature,
    check_suffix,
)
from penstock.sidetree.multihash import multihash
from penstock.sidetree.signed_data import SignedData, read_signed_data
from penstock.sidetree.usual import are_taken
from penstock.sidetree.usual.requests import UsualChange, UsualCreate, UsualEnd, usual_request

if TYPE_CHECKING:
    from collections.abc import Collection

    from penstock.sidetree.protocol import Protocol

__all__ = ["Glanced", "glance"]

#: Before the suffix data in the index file's entry of a create.
BEFORE_SUFFIX_DATA: Final = len(b'{"suffixData":')


class Glanced(NamedTuple):
    """An operation that holds."""

    suffix: str
    part: Part
    #: From this second on it has expired.
    closes: int | None


def glance(
    request: bytes, protocol: Protocol, now: int, *, origins: Collection[str] | None = None
) -> Glanced | None:
    """The operation that a request asks for, if it can be seen at one look that it may be in a batch."""
    if len(request) > protocol.max_operation_size or not are_taken(protocol):
        return None
    found = usual_request(request)
    if found is None:
        return None
    part = part_of_request(request)
    try:
        if isinstance(found, UsualCreate):
            return Glanced(_created(found, part, protocol, origins), part, None)
        return Glanced(found.did_suffix, part, _changed(found, part, protocol, now, origins))
    except SidetreeError:
        return None


def _created(found: UsualCreate, part: Part, protocol: Protocol, origins: Collection[str] | None) -> str:
    """The suffix of the DID."""
    said = found.suffix_data
    if origins is not None:
        check_origin(said.anchor_origin, origins)
    _check_delta(part.delta, said.delta_hash, protocol)
    check_apart(found.delta.update_commitment, said.recovery_commitment)
    return encode(multihash(part.index[BEFORE_SUFFIX_DATA:-1]))


def _changed(
    found: UsualChange | UsualEnd, part: Part, protocol: Protocol, now: int, origins: Collection[str] | None
) -> int | None:
    """From which second on it has expired."""
    signed = read_signed_data(found.type, found.signed_data, protocol)
    signed.window.check_now(now)
    if isinstance(found, UsualEnd):
        check_suffix(found.did_suffix, signed)
    else:
        _check_delta(part.delta, signed.said["deltaHash"], protocol)
        _check_commitments(found, signed, origins)
    check_signature(found.reveal_value, signed)
    return signed.window.closes


def _check_commitments(found: UsualChange, signed: SignedData, origins: Collection[str] | None) -> None:
    next_update = found.delta.update_commitment
    if found.type == "update":
        check_new(next_update, found.reveal_value)
        return
    next_recovery = signed.said["recoveryCommitment"]
    check_apart(next_update, next_recovery)
    check_new(next_recovery, found.reveal_value)
    if origins is not None:
        check_origin(signed.said.get("anchorOrigin"), origins)


def _check_delta(delta: bytes, expected: str, protocol: Protocol) -> None:
    if len(delta) > protocol.max_delta_size or encode(multihash(delta)) != expected:
        raise InvalidOperation("the delta is too long, or is not the one that deltaHash was made of")
