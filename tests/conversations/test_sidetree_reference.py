"""The reference implementation of Sidetree: requests and resolution.

Every request is made by one side and judged by both, and every history resolved by both: documents,
commitments and metadata must be the same to the letter.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from penstock.errors import BadDid, SidetreeError
from penstock.sidetree import requests
from penstock.sidetree.canonical import canonical, parse
from penstock.sidetree.did import long_form, read_did
from penstock.sidetree.ingestion import ingest
from penstock.sidetree.multihash import hashed
from penstock.sidetree.protocol import ION
from penstock.sidetree.resolution import resolve
from penstock.sidetree.results import resolution_result
from tests.conversations.sidetree_lives import anchored, by_us, drawn_life, lives_of, mixed_up
from tests.conversations.sidetree_reference import METHOD
from tests.sidetree.lives import NOW, key

if TYPE_CHECKING:
    from random import Random

    from tests.conversations.sidetree_reference import Reference

LIVES = 150


def test_both_make_the_same_dids_of_the_same_plans(random: Random, reference: Reference) -> None:
    plans = [drawn_life(random, f"{random.random()}") for _ in range(20)]
    for plan, theirs in zip(plans, reference.ask("life", plans), strict=True):
        ours = by_us(plan)
        assert (ours["suffix"], ours["longForm"]) == (theirs["suffix"], theirs["longForm"])
        for one, other in zip(ours["requests"], theirs["requests"], strict=True):
            value, their_value = parse(one.encode()), parse(other.encode())
            # A signature is another each time.
            assert value | {"signedData": ""} == their_value | {"signedData": ""}


def test_what_one_makes_the_other_takes_in(random: Random, reference: Reference) -> None:
    made = [made for _, made in lives_of(random, reference, 40)]
    posted = [request for life in made for request in life["requests"]]
    refused = dict(zip(posted, reference.ask("taken", posted), strict=True))
    assert set(refused.values()) == {""}
    for life in made:
        for request in life["requests"]:
            try:
                assert ingest(request.encode(), ION, NOW).suffix == life["suffix"]
            except SidetreeError as exc:
                # A key is used once: theirs asks for that only when a DID is resolved.
                assert "promised to the" in str(exc)  # noqa: PT017  which, chance decides


def test_nobody_takes_what_was_signed_with_another_algorithm(reference: Reference) -> None:
    signer = key("liar", "Ed25519")
    update = requests.update(hashed(1), [], key=signer, next_update_key=key("next", "secp256k1").public)
    told = signer.sign({"updateKey": signer.public, "deltaHash": hashed(update["delta"])}, alg="ES256K")
    for request in (update, update | {"signedData": told}):
        assert reference.ask("taken", [canonical(request).decode()]) != [""]
        with pytest.raises(SidetreeError):
            ingest(canonical(request), ION, NOW)


def test_every_history_resolves_alike(random: Random, reference: Reference) -> None:
    lives = [made for _, made in lives_of(random, reference, LIVES)]
    asked = [
        {
            "operations": mixed_up(random, life["suffix"], life["requests"]),
            "dids": [f"did:sidetree:{life['suffix']}", life["longForm"]],
        }
        for life in lives
    ]
    for question, answers in zip(asked, reference.ask("resolved", asked), strict=True):
        suffix = question["operations"][0]["suffix"]
        state = resolve(suffix, anchored(question["operations"]), METHOD.protocols)
        for did, answer in zip(question["dids"], answers, strict=True):
            ours = resolution_result(read_did(did, METHOD), state, METHOD)
            if state.deactivated:
                # Theirs then shows the short form to whoever asks by the long one.
                ours = resolution_result(read_did(question["dids"][0], METHOD), state, METHOD)
            assert ours == answer["body"], question["operations"]


HASHES = {"deltaHash": hashed(1), "recoveryCommitment": hashed(1)}


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({}, ""),
        ({"delta": {"patches": [], "updateCommitment": hashed(1)}}, ""),
        ({"delta": {"patches": [{"action": "nothing"}], "updateCommitment": hashed(1)}}, "an action"),
        ({"delta": {"patches": [], "updateCommitment": hashed(1), "more": "x" * 1000}}, "no member 'more'"),
        ({"delta": None}, "must be an object"),
        ({"suffixData": HASHES | {"type": "long one"}}, "at most 4 letters"),
        ({"suffixData": HASHES | {"anchorOrigin": "origin"}}, "no member 'anchorOrigin'"),
    ],
)
def test_a_long_form_is_one_to_both_or_to_neither(reference: Reference, changes: Any, reason: str) -> None:
    holder = key("holder", "secp256k1").public
    create = requests.create([], recovery_key=holder, update_key=holder) | changes
    did = long_form(f"{METHOD.namespace}:{hashed(create['suffixData'])}", create)
    ((answer,),) = reference.ask("resolved", [{"operations": [], "dids": [did]}])
    assert answer["status"] == ("bad-request" if reason else "succeeded")
    if reason:
        with pytest.raises(BadDid, match=reason):
            read_did(did, METHOD)
    else:
        read_did(did, METHOD)


def test_a_long_form_resolves_alike_before_anything_is_anchored(random: Random, reference: Reference) -> None:
    dids = [made["longForm"] for _, made in lives_of(random, reference, 20)]
    for did, (answer,) in zip(
        dids, reference.ask("resolved", [{"operations": [], "dids": [did]} for did in dids]), strict=True
    ):
        read = read_did(did, METHOD)
        begun = read.initial_operation(NOW)
        assert begun is not None
        assert (
            resolution_result(read, resolve(read.suffix, [begun], METHOD.protocols), METHOD) == answer["body"]
        )
