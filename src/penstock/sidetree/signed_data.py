"""What the author of an operation signs: the key, the hash of the delta, and when it may be anchored."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct
from msgspec.json import Decoder

from penstock.errors import InvalidOperation, OperationEarly, OperationExpired
from penstock.sidetree.jws import Jws, check_plain, parts_of, read_jws
from penstock.sidetree.keys import check_key
from penstock.sidetree.shapes import encoded_hash, instant, members
from penstock.sidetree.usual import are_taken, usual_signed_data

if TYPE_CHECKING:
    from penstock.sidetree.protocol import Protocol

__all__ = ["SignedData", "Window", "expired", "read_signed_data", "window_from"]

TIMES: Final = frozenset({"anchorFrom", "anchorUntil"})

#: By type of operation: the member that holds the key, what else is needed, and what may be there. Orb writes
#: an empty revealValue into a deactivation.
FORMS: Final = {
    "update": ("updateKey", frozenset({"updateKey", "deltaHash"}), TIMES),
    "recover": (
        "recoveryKey",
        frozenset({"recoveryKey", "recoveryCommitment", "deltaHash"}),
        TIMES | {"anchorOrigin"},
    ),
    "deactivate": ("recoveryKey", frozenset({"didSuffix", "recoveryKey"}), TIMES | {"revealValue"}),
}

NOTHING: Final = frozenset[str]()
HASHES: Final = ("deltaHash", "recoveryCommitment")

decode: Final = Decoder().decode


class Window(Struct, frozen=True, gc=False):
    """When an operation may be anchored, in seconds since 1970; nothing means that any time will do."""

    opens: int | None = None
    closes: int | None = None

    def check_now(self, now: int) -> None:
        """Nothing happens if an operation that comes now may still be anchored.

        Raises:
            OperationEarly, OperationExpired: it may not.
        """
        if self.opens is not None and self.opens > now:
            raise OperationEarly(f"it may be anchored from {self.opens} on, and it is {now}")
        if self.closes is not None and self.closes <= now:
            raise expired(self.closes, now)

    def holds(self, anchored_at: int) -> bool:
        """Whether an operation that was anchored then was anchored in time; both ends count."""
        return (self.opens is None or self.opens <= anchored_at) and (
            self.closes is None or anchored_at <= self.closes
        )


ANY_TIME: Final = Window()


def expired(closes: int, now: int) -> OperationExpired:
    """What is said of an operation that comes too late."""
    return OperationExpired(f"it could be anchored until {closes}, and it is {now}")


class SignedData(Struct, frozen=True, gc=False):
    """A signature that was read and not verified, and what it says."""

    jws: Jws
    #: As it was received, which is how it is hashed.
    key: dict[str, str]
    said: dict[str, Any]
    window: Window


def read_signed_data(type_: str, compact: Any, protocol: Protocol) -> SignedData:
    """What the author of an operation of this type has signed.

    Raises:
        BadSignature: it is no JWS that may be.
        BadKey: its key cannot sign operations.
        InvalidOperation: it says too little, too much or the wrong things.
    """
    holder, needed, optional = FORMS[type_]
    parts = parts_of(compact, protocol.signature_algorithms)
    if are_taken(protocol) and usual_signed_data(type_, parts.payload) is not None:
        usual = decode(parts.payload)
        jws = Jws(parts.algorithm, usual, parts.signed, parts.signature)
        return SignedData(jws, usual[holder], usual, window_of(usual, protocol))
    jws = read_jws(compact, protocol.signature_algorithms)
    if not protocol.extensions:
        check_plain(compact)
        optional = NOTHING
    said = members(jws.payload, f"the signed data of {type_}", needed, optional)
    check_key(said[holder], protocol)
    for member in HASHES:
        if member in said:
            encoded_hash(said[member], member, protocol.max_operation_hash_length)
    if "didSuffix" in said and not isinstance(said["didSuffix"], str):
        raise InvalidOperation("didSuffix must be a text")
    return SignedData(jws, said[holder], said, window_of(said, protocol))


def window_of(said: dict[str, Any], protocol: Protocol) -> Window:
    if said.keys().isdisjoint(TIMES):
        return ANY_TIME
    opens = instant(said.get("anchorFrom"), "anchorFrom")
    return window_from(opens, instant(said.get("anchorUntil"), "anchorUntil"), protocol)


def window_from(opens: int | None, closes: int | None, protocol: Protocol) -> Window:
    """What the author means who has signed these."""
    if opens is not None and closes is None:
        closes = opens + protocol.max_operation_time_delta
    return Window(opens, closes)
