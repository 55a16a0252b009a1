from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from penstock.did.activities import Activity, follow, relation
from penstock.did.anchors import Anchor
from penstock.did.credentials import check, proofs_of
from penstock.did.credentials.linked import signed_statements
from penstock.errors import NotAcceptable, NotConnected
from penstock.sidetree.base64url import encode
from penstock.sidetree.canonical import canonical
from tests.did.activities.helpers import changed
from tests.did.anchoring.helpers import A, B, C, D, Domain, PaperKeys, run

if TYPE_CHECKING:
    from penstock.did.anchoring import Identity


@pytest.fixture
def anchor(author: Domain) -> str:
    """An anchor that was offered to two witnesses."""
    author.neighbours.invited = [B.service, C.service]
    found: str = run(author.write())
    return found


@pytest.fixture
def answers(domains: tuple[Domain, Domain, Domain], anchor: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """What both of them answer, as it is sent."""
    author, *others = domains
    (offered,) = author.post.told("Offer")
    first, second = (dict(run(each.answer(offered, author)).document) for each in others)
    return first, second


def handle(author: Domain, document: dict[str, Any]) -> None:
    run(author.anchoring.proofs.handle(Activity.parse(canonical(document))))


def test_an_anchor_is_published_with_the_last_proof_that_is_needed(
    author: Domain, anchor: str, answers: tuple[dict[str, Any], dict[str, Any]]
) -> None:
    handle(author, answers[0])
    assert (author.status(anchor), author.queues.published) == ("in-process", [])
    handle(author, answers[1])
    assert author.status(anchor) == "completed"
    found = Anchor.read(author.queues.of("anchor_linkset")[0])
    check(found.credential.document, PaperKeys())
    methods = [each["verificationMethod"] for each in proofs_of(found.credential.document)]
    assert methods == [A.method, B.method, C.method]


def test_a_witness_of_orbs_proves_without_contexts_in_its_proof(
    author: Domain, anchor: str, answers: tuple[dict[str, Any], dict[str, Any]]
) -> None:
    # Given a witness that answers as Orb does, with words beside its proof that explain more than that.
    receipt = answers[1]["result"]
    attachment = receipt["attachment"][0]
    (offered,) = author.post.told("Offer")
    credential = Anchor.read(offered.document["object"]).credential.document
    options = {name: attachment["proof"][name] for name in ("created", "proofPurpose", "verificationMethod")}
    proof = {**options, "domain": C.base, "type": "Ed25519Signature2020"}
    value = encode(C.key.sign(signed_statements(credential, proof)))
    suite = "https://w3id.org/security/suites/ed25519-2020/v1"
    orbs = {"@context": ["https://w3id.org/security/v1", suite], "proof": {**proof, "proofValue": value}}
    handle(author, {**answers[1], "result": {**receipt, "attachment": [orbs]}})
    # When another proves as we do, then both hold.
    handle(author, answers[0])
    found = Anchor.read(author.queues.of("anchor_linkset")[0]).credential.document
    methods = [each["verificationMethod"] for each in check(found, PaperKeys())]
    assert methods == [A.method, B.method, C.method]
    assert suite in found["@context"]
    assert "https://w3id.org/security/v1" not in found["@context"]


def test_answers_that_come_again_or_late_change_nothing(
    author: Domain, anchor: str, answers: tuple[dict[str, Any], dict[str, Any]]
) -> None:
    for number in (0, 0, 1, 0, 1):
        handle(author, answers[number])
    assert len(author.queues.published) == 1


def test_an_answer_that_comes_again_publishes_what_could_not_be_before(
    author: Domain, anchor: str, answers: tuple[dict[str, Any], dict[str, Any]]
) -> None:
    handle(author, answers[0])
    author.queues.is_away = True
    with pytest.raises(NotConnected):
        handle(author, answers[1])
    author.queues.is_away = False
    handle(author, answers[1])
    assert (author.status(anchor), len(author.queues.published)) == ("completed", 1)


@pytest.mark.parametrize(
    ("seconds", "is_taken"),
    [(-61, False), (-60, True), (0, True), (660, True), (661, False)],
)
def test_a_proof_out_of_time_is_ignored(
    author: Domain,
    anchor: str,
    answers: tuple[dict[str, Any], dict[str, Any]],
    seconds: float,
    *,
    is_taken: bool,
) -> None:
    author.neighbours.policy = "OutOf(1,system)"
    at = author.clock.now() + seconds
    handle(author, changed(answers[0], "result.attachment.0.proof", proof(author, anchor, B, at)))
    assert (author.status(anchor) == "completed") is is_taken


def proof(author: Domain, anchor: str, who: Identity, at: float) -> dict[str, Any]:
    record = author.record(anchor)
    assert record is not None
    assert record.linkset is not None
    return who.proof(Anchor.parse(record.linkset).credential.document, at=at)


PROOF = "result.attachment.0.proof"


@pytest.mark.parametrize(
    ("path", "value", "rule"),
    [
        # Somebody else's proof, by whichever name.
        (f"{PROOF}.verificationMethod", C.method, "method"),
        (f"{PROOF}.verificationMethod", "did:key:z6Mk#z6Mk", "method"),
        (f"{PROOF}.verificationMethod", 1, "method"),
        ("actor", C.service, "method"),
        # Forged, or not of this credential.
        (f"{PROOF}.proofValue", "z" + "1" * 64, "signature"),
        (f"{PROOF}.created", "2023-11-14T22:13:21Z", "signature"),
        # It would spoil the anchor for all who read it.
        (f"{PROOF}.@context", None, "context"),
        (f"{PROOF}.type", ["DataIntegrityProof"], "suite"),
        (f"{PROOF}.more", "x" * 20_000, "size"),
        ("result.attachment.0.@context", ["https://x"] * 2_000, "size"),
        # Of another offer, of another's, about another anchor.
        ("object.id", "https://a.example/services/orb/activities/offer-x", "offer"),
        ("object.actor", B.service, "author"),
        ("object.object", "hl:other", "inReplyTo"),
        ("result.type", "Note", "result-type"),
    ],
)
def test_a_bad_answer_is_refused_with_the_reason(
    author: Domain, answers: tuple[dict[str, Any], dict[str, Any]], path: str, value: Any, rule: str
) -> None:
    author.neighbours.policy = "OutOf(1,system)"
    with pytest.raises(NotAcceptable) as caught:
        handle(author, changed(answers[0], path, value))
    assert getattr(caught.value, "rule", None) == rule
    assert author.queues.published == []


def test_an_answer_about_an_unknown_anchor_is_refused(
    author: Domain, answers: tuple[dict[str, Any], dict[str, Any]]
) -> None:
    wrong = changed(changed(answers[0], "object.object", "hl:x"), "result.inReplyTo", "hl:x")
    with pytest.raises(NotAcceptable, match="not known here"):
        handle(author, wrong)


def test_who_was_never_a_witness_does_not_become_one(
    author: Domain, anchor: str, answers: tuple[dict[str, Any], dict[str, Any]]
) -> None:
    author.neighbours.policy = "OutOf(1,system)"
    answer = changed(answers[0], "actor", D.service)
    forged = changed(answer, PROOF, proof(author, anchor, D, author.clock.now()))
    with pytest.raises(NotAcceptable, match="no witness"):
        handle(author, forged)
    assert author.status(anchor) == "in-process"


def test_other_answers_are_somebody_elses_business(author: Domain) -> None:
    asked = follow(name=f"{A.service}/1", actor=A.service, target=B.service)
    handle(author, relation.accept(name=f"{B.service}/1", actor=B.service, answered=asked))
    assert author.queues.published == []
