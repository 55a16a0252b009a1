"""Offers: an anchor's author asks witnesses for proofs, and they answer with a receipt.

    Offer     the linkset with the author's credential, and until when proofs are taken
    Accept    the offer, with the anchor's name in place of the linkset, and an AnchorReceipt with the proof

Pure.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from penstock.did.activities import names
from penstock.did.activities.activity import Activity, activity
from penstock.did.activities.names import ACTIVITY_ANCHORS, ANCHOR_WITNESS, PUBLIC, SECURITY
from penstock.did.instants import rfc_3339
from penstock.errors import BadActivity

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from penstock.did.activities.reading import Reader

__all__ = ["Offer", "Receipt", "accept_offer", "offer"]

#: What a proof of ours is explained by.
DATA_INTEGRITY: Final = "https://w3id.org/security/data-integrity/v2"


def offer(
    *, name: str, actor: str, to: Sequence[str], linkset: Mapping[str, Any], at: float, ends_at: float
) -> dict[str, Any]:
    """Ask witnesses for their proofs.

    Args:
        name: Its own IRI.
        actor: The anchor's author.
        to: The witnesses.
        linkset: The anchor linkset, with the author's credential.
        at: Now.
        ends_at: Until when proofs are taken.
    """
    return activity(
        names.OFFER,
        name=name,
        actor=actor,
        to=[*to, PUBLIC],
        about=linkset,
        target=ANCHOR_WITNESS,
        startTime=rfc_3339(at),
        endTime=rfc_3339(ends_at),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """An offer that was received, or that was once sent."""

    activity: Activity
    linkset: Mapping[str, Any]
    starts_at: float
    ends_at: float

    @classmethod
    def of(cls, told: Activity) -> Offer:
        """Read one.

        Raises:
            BadActivity: it is none, or for something else than witnessing.
        """
        told.demand(names.OFFER)
        _check_target(told)
        found = cls(
            activity=told,
            linkset=told.reader.mapping("object"),
            starts_at=told.reader.instant("startTime"),
            ends_at=told.reader.instant("endTime"),
        )
        if found.ends_at < found.starts_at:
            raise BadActivity("endTime", "an offer ends before it starts")
        return found

    def is_over(self, now: float) -> bool:
        """Whether proofs are no longer taken."""
        return now > self.ends_at


def accept_offer(
    accepted: Offer,
    *,
    name: str,
    actor: str,
    anchor: str,
    proof: Mapping[str, Any],
    at: float,
    ends_at: float,
) -> dict[str, Any]:
    """Answer an offer with a proof.

    Args:
        accepted: The offer.
        name: The answer's own IRI.
        actor: The witness.
        anchor: The anchor's name.
        proof: Of the witness, on the anchor's credential.
        at: Now.
        ends_at: Until when the anchor is in the witness's ledger, if it keeps one.
    """
    offered = accepted.activity
    # The linkset is known to who sent it.
    essentials = activity(
        names.OFFER,
        name=offered.name,
        actor=offered.actor,
        to=offered.to,
        about=anchor,
        target=ANCHOR_WITNESS,
    )
    receipt = {
        "@context": ACTIVITY_ANCHORS,
        "type": names.ANCHOR_RECEIPT,
        "inReplyTo": anchor,
        "startTime": rfc_3339(at),
        "endTime": rfc_3339(ends_at),
        "attachment": [{"@context": [SECURITY, DATA_INTEGRITY], "proof": dict(proof)}],
    }
    to = [offered.actor, PUBLIC]
    return activity(names.ACCEPT, name=name, actor=actor, to=to, about=essentials, result=receipt)


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """A witness's answer to an offer."""

    witness: str
    #: The offer's IRI, and whose it was.
    offer: str
    author: str
    #: The anchor's name.
    anchor: str
    proof: Mapping[str, Any]
    #: What the proof is explained by.
    contexts: tuple[str, ...]

    @classmethod
    def of(cls, told: Activity) -> Receipt:
        """Read one.

        Raises:
            BadActivity: it is none, or about two anchors.
        """
        told.demand(names.ACCEPT)
        offered = told.inner
        offered.demand(names.OFFER)
        _check_target(offered)
        result = told.reader.reader("result")
        if names.ANCHOR_RECEIPT not in result.texts("type"):
            raise BadActivity("result-type", f"{result.what} is no {names.ANCHOR_RECEIPT}")
        anchor = result.iri("inReplyTo")
        if offered.reader.iri("object") != anchor:
            raise BadActivity("inReplyTo", "a receipt is about another anchor than the offer that it answers")
        attachment = _only_attachment(result)
        return cls(
            witness=told.actor,
            offer=offered.name,
            author=offered.actor,
            anchor=anchor,
            proof=attachment.mapping("proof"),
            contexts=attachment.texts("@context", ()),
        )


def _only_attachment(result: Reader) -> Reader:
    found = result.readers("attachment")
    if len(found) != 1:
        raise BadActivity("attachment", f"{result.what} has {len(found)} attachments, and one is meant")
    return found[0]


def _check_target(told: Activity) -> None:
    if (target := told.reader.iri("target")) != ANCHOR_WITNESS:
        raise BadActivity("target", f"an offer is for {target[:120]!r}, not for witnessing")
