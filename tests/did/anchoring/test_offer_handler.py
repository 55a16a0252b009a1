from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from penstock.did.activities import PUBLIC, Activity, Receipt
from penstock.did.anchors import Anchor, with_credential
from penstock.did.credentials import check_proof
from penstock.errors import NotAcceptable
from penstock.sidetree.canonical import canonical
from tests.did.activities.helpers import changed
from tests.did.anchoring.helpers import NOW, A, B, C, Domain, PaperKeys, run

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.did.anchoring import Identity


@pytest.fixture
def offered(author: Domain) -> dict[str, Any]:
    """An offer as it is sent."""
    author.neighbours.invited = [B.service]
    run(author.write())
    (found,) = author.post.posted.values()
    return found


def told(document: dict[str, Any]) -> Activity:
    return Activity.parse(canonical(document))


def test_an_offer_is_answered_with_a_proof(author: Domain, witness: Domain, offered: dict[str, Any]) -> None:
    witness.clock.advance(3)
    answer = run(witness.answer(told(offered), author))
    receipt = Receipt.of(answer)
    anchor = Anchor.read(offered["object"])
    check_proof(anchor.credential.document, receipt.proof, PaperKeys())
    assert (receipt.witness, receipt.author, receipt.offer) == (B.service, A.service, offered["id"])
    assert (receipt.anchor, receipt.proof["verificationMethod"]) == (anchor.uri, B.method)
    assert answer.to == (A.service, PUBLIC)


def test_the_same_offer_is_answered_by_the_same_name(
    author: Domain, witness: Domain, offered: dict[str, Any]
) -> None:
    run(witness.answer(told(offered), author))
    witness.clock.advance(3)
    run(witness.anchoring.offers.handle(told(offered)))
    assert (len(witness.post.posted), witness.post.count) == (1, 2)


def signed_by(who: Identity, method: str | None = None) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """The offer, with a credential that somebody else has signed."""

    def change(document: dict[str, Any]) -> dict[str, Any]:
        linkset = document["object"]
        credential = dict(Anchor.read(linkset).credential.document)
        proof = {**who.proof({k: v for k, v in credential.items() if k != "proof"}, at=NOW)}
        credential["proof"] = [{**proof, "verificationMethod": method or who.method}]
        return {**document, "object": with_credential(linkset, credential)}

    return change


def signed_as_orb_does(document: dict[str, Any]) -> dict[str, Any]:
    """The offer, with its author's proof of a kind that nobody here knows, and somebody else's."""
    linkset = document["object"]
    credential = dict(Anchor.read(linkset).credential.document)
    (proof,) = credential["proof"]
    bare = {name: value for name, value in credential.items() if name != "proof"}
    credential["proof"] = [{**proof, "type": "JsonWebSignature2020"}, C.proof(bare, at=NOW)]
    return {**document, "object": with_credential(linkset, credential)}


def issued_at(text: str) -> Callable[[dict[str, Any]], dict[str, Any]]:
    def change(document: dict[str, Any]) -> dict[str, Any]:
        linkset = document["object"]
        credential = {**Anchor.read(linkset).credential.document, "issuanceDate": text}
        return {**document, "object": with_credential(linkset, credential)}

    return change


def path(where: str, value: Any) -> Callable[[dict[str, Any]], dict[str, Any]]:
    return lambda document: changed(document, where, value)


@pytest.mark.parametrize(
    ("change", "seconds", "rule"),
    [
        # A stranger, and a friend who offers somebody else's anchor.
        (path("actor", "https://x.example/services/orb"), 0, "witnessing"),
        (path("actor", C.service), 0, "author"),
        # The anchor is its author's, and somebody else's signature is on it; or a forged one.
        (signed_by(C), 0, "unsigned"),
        (signed_as_orb_does, 0, "unsigned"),
        (signed_by(C, A.method), 0, "signature"),
        (issued_at("2023-11-14T22:13:19Z"), 0, "signature"),
        (issued_at("2023-11-14T22:15:00Z"), 0, "issuanceDate"),
        # Too late, and too early.
        (path("endTime", "2023-11-14T22:13:20Z"), 61, "endTime"),
        (path("startTime", "2023-11-14T22:14:21Z"), 0, "startTime"),
        # No offer, and no anchor.
        (path("type", "Create"), 0, "type"),
        (path("object", {"linkset": []}), 0, "linkset"),
        (path("object.linkset.0.original.0.href", "data:application/json,%7B%7D"), 0, "original-hash"),
    ],
)
def test_a_bad_offer_is_refused_with_the_reason(
    witness: Domain, offered: dict[str, Any], change: Callable[..., Any], seconds: float, rule: str
) -> None:
    witness.neighbours.witnessing = {A.service, C.service}
    witness.clock.advance(seconds)
    with pytest.raises(NotAcceptable) as caught:
        run(witness.anchoring.offers.handle(told(change(offered))))
    assert getattr(caught.value, "rule", None) == rule
    assert witness.post.posted == {}


@pytest.mark.parametrize(
    ("where", "text", "seconds"),
    [
        ("endTime", "2023-11-14T22:13:20Z", 60),
        ("startTime", "2023-11-14T22:14:20Z", 0),
    ],
)
def test_clocks_may_be_apart(
    author: Domain, witness: Domain, offered: dict[str, Any], where: str, text: str, seconds: float
) -> None:
    witness.clock.advance(seconds)
    run(witness.answer(told(changed(offered, where, text)), author))
    assert len(witness.post.posted) == 1
