"""A queued operation whose every part is usual, judged at one look; of all others nothing is said here.

Usual bytes are canonical: they are hashed as they stand, and are the parts of the files as they stand. To
parse them into values, check those one by one, and write them again takes ten microseconds more for an
operation, and a verified signature is eighty. Only the plain road can say no, and why: what is not clearly
in order here, even if it is only late, is looked at there from the beginning.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from penstock.errors import BadSignature, InvalidOperation, SidetreeError
from penstock.sidetree.base64url import encode
from penstock.sidetree.files.parts import Part, part_of_request
from penstock.sidetree.ingestion import check_apart, check_origin
from penstock.sidetree.multihash import multihash, promises
from penstock.sidetree.signed_data import window_from
from penstock.sidetree.usual import Usual, are_taken, usual_signed_data
from penstock.sidetree.usual.jws import usual_jws
from penstock.sidetree.usual.requests import UsualChange, UsualCreate, UsualEnd, usual_request
from penstock.sidetree.usual.signed_data import SignedDeactivate, SignedRecover, SignedUpdate

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
    jws = usual_jws(found.signed_data, protocol.signature_algorithms)
    signed = None if jws is None else usual_signed_data(found.type, jws.payload)
    if jws is None or signed is None:
        raise BadSignature("it is not signed as most are")
    # A zero stands for nothing.
    window = window_from(signed.anchor_from or None, signed.anchor_until or None, protocol)
    window.check_now(now)
    revealed, redeemed = promises(Usual.write(signed.key))
    if isinstance(signed, SignedDeactivate):
        _check_same(found.did_suffix, signed.did_suffix)
    elif isinstance(found, UsualChange):
        _check_delta(part.delta, signed.delta_hash, protocol)
        _check_next(found.delta.update_commitment, signed, redeemed, origins)
    _check_same(found.reveal_value, revealed)
    if not signed.key.has_made(jws):
        raise BadSignature("the signature is not of this key, or not of this data")
    return window.closes


def _check_next(
    next_update: str, signed: SignedUpdate | SignedRecover, redeemed: str, origins: Collection[str] | None
) -> None:
    following = next_update
    if isinstance(signed, SignedRecover):
        following = signed.recovery_commitment
        check_apart(next_update, following)
        if origins is not None:
            check_origin(signed.anchor_origin, origins)
    if following == redeemed:
        raise InvalidOperation("the next operation is promised to the key of this one")


def _check_same(said: str, expected: str) -> None:
    if said != expected:
        raise InvalidOperation(f"it says {said[:50]!r}, and not {expected[:50]!r}")


def _check_delta(delta: bytes, expected: str, protocol: Protocol) -> None:
    if len(delta) > protocol.max_delta_size or encode(multihash(delta)) != expected:
        raise InvalidOperation("the delta is too long, or is not the one that deltaHash was made of")
