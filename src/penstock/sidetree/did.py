"""DIDs in all their forms.

did:ion:<suffix>                        did:orb:<anchor>:<suffix>
did:orb:uAAA:<suffix>                   not anchored yet
did:orb:hl:<hash>:<places>:<suffix>     the anchor as a hashlink
did:orb:https:<domain>:<hash>:<suffix>  a domain that knows the anchor
…:<initial state>                       the long form of each: it resolves before anything is anchored
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct

from penstock.errors import BadDid, BadEncoding, SidetreeError
from penstock.sidetree import base64url
from penstock.sidetree.anchored import Anchored
from penstock.sidetree.canonical import canonical, parse
from penstock.sidetree.delta import check_delta
from penstock.sidetree.multihash import check_hash, hashed
from penstock.sidetree.shapes import members
from penstock.sidetree.suffix_data import check_suffix_data

if TYPE_CHECKING:
    from penstock.sidetree.methods import Method
    from penstock.sidetree.protocol import Protocol

__all__ = ["UNPUBLISHED", "Did", "long_form", "read_did"]

#: The anchor of a DID that has none yet: the identity multihash of nothing, as multibase.
UNPUBLISHED: Final = "uAAA"

INITIAL: Final = frozenset({"delta", "suffixData"})
#: Some of TrustBloc's clients put the whole create request into the long form, and their resolvers take it.
TYPE: Final = frozenset({"type"})


class Did(Struct, frozen=True, gc=False):
    """A DID that was read."""

    text: str
    namespace: str
    #: What stands between method and suffix: an anchor, a way to one, a network, or nothing.
    anchor: str
    suffix: str
    #: Suffix data and delta, if this is the long form.
    initial: dict[str, Any] | None = None

    def initial_operation(self, time: int, protocol_version: int = 0) -> Anchored | None:
        """The create that the long form carries, as one that is not anchored."""
        if self.initial is None:
            return None
        return Anchored(
            type="create",
            suffix=self.suffix,
            request=canonical({**self.initial, "type": "create"}),
            time=time,
            protocol_version=protocol_version,
            anchor_origin=self.initial["suffixData"].get("anchorOrigin"),
        )


def read_did(text: str, method: Method) -> Did:
    """The parts of a DID of this method.

    Raises:
        BadDid: it is none, or its long form and its suffix are not of one piece.
    """
    prefix = f"{method.namespace}:"
    if not text.startswith(prefix):
        raise BadDid(f"{text[:60]!r} is no {method.namespace} DID")
    *anchor, last = text.removeprefix(prefix).split(":")
    initial = initial_state(last) if anchor else None
    if initial is not None:
        *anchor, last = anchor
        check_initial(last, initial, method)
    try:
        check_hash(last)
    except BadEncoding as exc:
        raise BadDid(f"the DID {text[:60]!r} has no suffix that a DID can have: {exc}") from exc
    if method.anchored and not anchor:
        raise BadDid(f"a {method.namespace} DID names its anchor, or {UNPUBLISHED}, before the suffix")
    return Did(text, method.namespace, ":".join(anchor), last, initial)


def initial_state(segment: str) -> dict[str, Any] | None:
    """What the last part of a long form says; it is one if it is an object, and nothing else is."""
    try:
        data = base64url.decode(segment)
        if not data.startswith(b"{"):
            return None
        value = parse(data)
    except SidetreeError:
        return None
    if canonical(value) != data:
        raise BadDid("the initial state of a long form DID must be in canonical form")
    found = members(value, "the initial state of a DID", INITIAL, TYPE, error=BadDid)
    if found.get("type", "create") != "create":
        raise BadDid("the initial state of a long form DID is a create")
    return found


def check_initial(suffix: str, initial: dict[str, Any], method: Method) -> None:
    if not isinstance(initial["suffixData"], dict) or hashed(initial["suffixData"]) != suffix:
        raise BadDid("the long form's suffix data are not what the suffix was made of")
    # What no version takes would be a DID with nothing in it (Sidetree, "Resolution", 2.2).
    *older, newest = method.protocols.versions
    if not any(is_state(initial, protocol) for protocol in older):
        check_state(initial, newest)


def is_state(initial: dict[str, Any], protocol: Protocol) -> bool:
    try:
        check_state(initial, protocol)
    except BadDid:
        return False
    return True


def check_state(initial: dict[str, Any], protocol: Protocol) -> None:
    try:
        check_suffix_data(initial["suffixData"], protocol)
        check_delta(initial["delta"], protocol)
    except SidetreeError as exc:
        raise BadDid(f"the long form's initial state is none: {exc}") from exc


def long_form(short: str, create: dict[str, Any]) -> str:
    """The long form of a DID, of its short form and its create request."""
    initial = {"delta": create["delta"], "suffixData": create["suffixData"]}
    return f"{short}:{base64url.encode(canonical(initial))}"
