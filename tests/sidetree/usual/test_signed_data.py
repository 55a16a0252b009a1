from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET

from penstock.sidetree.base64url import encode
from penstock.sidetree.canonical import canonical
from penstock.sidetree.multihash import hashed
from penstock.sidetree.protocol import ORB
from penstock.sidetree.signed_data import FORMS, read_signed_data
from penstock.sidetree.usual import Usual
from penstock.sidetree.usual.signed_data import usual_signed_data
from tests.sidetree.lives import key
from tests.sidetree.usual.spoiling import spoilt

TIMES = {"anchorFrom": 1_700_000_000, "anchorUntil": 0}
KEYS = [key("signer", curve).public for curve in ("P-256", "secp256k1", "Ed25519")]
USUAL: list[tuple[str, dict[str, Any]]] = [
    ("update", {"deltaHash": hashed(1), "updateKey": KEYS[0]}),
    ("update", {"deltaHash": hashed(1), "updateKey": KEYS[1], **TIMES}),
    ("recover", {"deltaHash": hashed(1), "recoveryCommitment": hashed(2), "recoveryKey": KEYS[2]}),
    (
        "recover",
        {
            "anchorOrigin": "https://orb.example",
            "deltaHash": hashed(1),
            "recoveryCommitment": hashed(2),
            "recoveryKey": KEYS[0],
            **TIMES,
        },
    ),
    ("deactivate", {"didSuffix": hashed(3), "recoveryKey": KEYS[0], **TIMES}),
]


def compact(payload: bytes) -> str:
    return f"{encode(canonical({'alg': 'ES256'}))}.{encode(payload)}.{encode(b's' * 64)}"


@pytest.mark.parametrize(("type_", "said"), USUAL)
def test_what_most_authors_sign_is_usual_in_canonical_form_only(type_: str, said: Any) -> None:
    found = usual_signed_data(type_, canonical(said))
    assert found is not None
    times = (found.anchor_from, found.anchor_until)
    assert times == (said.get("anchorFrom", UNSET), said.get("anchorUntil", UNSET))
    assert Usual.write(found.key) == canonical(said[FORMS[type_][0]])
    assert usual_signed_data(type_, json.dumps(said, indent=1).encode()) is None


@pytest.mark.parametrize("type_", ["update", "recover", "deactivate"])
def test_what_another_type_needs_is_not_usual(type_: str) -> None:
    others = [said for known, said in USUAL if known != type_]
    assert not any(usual_signed_data(type_, canonical(said)) for said in others)


@pytest.mark.parametrize("member", ["anchorFrom", "anchorOrigin", "anchorUntil"])
def test_what_may_be_left_out_may_not_be_nothing(member: str) -> None:
    said = USUAL[3][1]
    without = {name: value for name, value in said.items() if name != member}
    assert usual_signed_data("recover", canonical(without)) is not None
    assert usual_signed_data("recover", canonical(said | {member: None})) is None


@pytest.mark.parametrize(
    "more", [{"y": ""}, {"nonce": encode(b"n" * 16)}, {"d": "x"}, {"kty": "OKP"}, {"x": "A" * 43 + "\n"}]
)
def test_a_key_of_another_kind_is_not_usual(more: dict[str, str]) -> None:
    said = {"deltaHash": hashed(1), "updateKey": KEYS[0] | more}
    assert usual_signed_data("update", canonical(said)) is None


@given(st.sampled_from(USUAL).flatmap(lambda each: st.tuples(st.just(each[0]), spoilt([each[1]]))))
def test_whatever_is_usual_is_read_as_by_the_plain_road(case: tuple[str, Any]) -> None:
    type_, said = case
    payload = canonical(said)
    if usual_signed_data(type_, payload) is not None:
        found = read_signed_data(type_, compact(payload), ORB)
        # A space more, and nothing else, is read by the plain road.
        plain = read_signed_data(type_, compact(payload.replace(b"{", b"{ ", 1)), ORB)
        assert (found.said, found.key, found.window) == (plain.said, plain.key, plain.window)
        assert (found.said, found.key) == (said, said[FORMS[type_][0]])
