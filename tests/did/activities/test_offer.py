from __future__ import annotations

from typing import Any

import pytest

from penstock.did.activities.names import PUBLIC
from penstock.did.activities.offer import Offer, Receipt, accept_offer, offer
from penstock.errors import BadActivity
from tests.did.activities.helpers import AT, LINKSET, NAME, A, B, C, changed, told

OFFER = offer(name=NAME, actor=A, to=[B, C], linkset=LINKSET, at=AT, ends_at=AT + 600)
PROOF = {"type": "DataIntegrityProof", "proofValue": "z"}
ACCEPT = accept_offer(
    Offer.of(told(OFFER)), name="x", actor=B, anchor="hl:x", proof=PROOF, at=AT + 1, ends_at=AT + 601
)


def test_an_offer_asks_witnesses_until_it_ends() -> None:
    assert OFFER["to"] == [B, C, PUBLIC]
    assert OFFER["target"] == "https://w3id.org/activityanchors#AnchorWitness"
    read = Offer.of(told(OFFER))
    assert (read.linkset, read.starts_at, read.ends_at) == (LINKSET, AT, AT + 600)
    assert not read.is_over(AT + 600)
    assert read.is_over(AT + 600.1)


def test_a_witness_answers_with_a_receipt_and_without_the_linkset() -> None:
    assert ACCEPT["object"] == {
        **changed(changed(OFFER, "startTime", None), "endTime", None),
        "object": "hl:x",
    }
    assert ACCEPT["to"] == [A, PUBLIC]
    assert ACCEPT["result"]["attachment"][0]["proof"] == PROOF
    assert Receipt.of(told(ACCEPT)) == Receipt(
        witness=B,
        offer=NAME,
        author=A,
        anchor="hl:x",
        proof=PROOF,
        contexts=("https://w3id.org/security/v1", "https://w3id.org/security/data-integrity/v2"),
    )


@pytest.mark.parametrize(
    ("path", "value", "rule"),
    [
        ("type", "Create", "type"),
        ("target", None, "no-target"),
        ("target", "https://a.example#Dance", "target"),
        ("object", "hl:x", "bad-object"),
        ("startTime", None, "no-startTime"),
        ("endTime", None, "no-endTime"),
        ("endTime", "later", "bad-endTime"),
        ("endTime", "2000-01-01T00:00:00Z", "endTime"),
    ],
)
def test_an_offer_that_is_none_is_refused_with_its_rule(path: str, value: Any, rule: str) -> None:
    with pytest.raises(BadActivity) as caught:
        Offer.of(told(changed(OFFER, path, value)))
    assert caught.value.rule == rule


@pytest.mark.parametrize(
    ("path", "value", "rule"),
    [
        ("type", "Reject", "type"),
        ("object", "x", "shape"),
        ("object.type", "Follow", "type"),
        ("object.target", None, "no-target"),
        ("object.object", "hl:y", "inReplyTo"),
        ("object.object", None, "no-object"),
        ("result", None, "no-result"),
        ("result.type", "Receipt", "result-type"),
        ("result.inReplyTo", "hl:y", "inReplyTo"),
        ("result.attachment", None, "attachment"),
        ("result.attachment", [], "attachment"),
        ("result.attachment", [{"proof": {}}, {"proof": {}}], "attachment"),
        ("result.attachment.0.proof", None, "no-proof"),
        ("result.attachment.0.proof", "z", "bad-proof"),
    ],
)
def test_a_receipt_that_is_none_is_refused_with_its_rule(path: str, value: Any, rule: str) -> None:
    with pytest.raises(BadActivity) as caught:
        Receipt.of(told(changed(ACCEPT, path, value)))
    assert caught.value.rule == rule
