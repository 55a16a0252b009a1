from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from penstock.errors import BadDid
from penstock.sidetree.base64url import encode
from penstock.sidetree.canonical import canonical, parse
from penstock.sidetree.did import long_form, read_did
from penstock.sidetree.methods import METHODS, method_of
from penstock.sidetree.multihash import hashed
from penstock.sidetree.protocol import Protocol, Protocols
from tests.sidetree.lives import NOW, ORIGIN, Life
from tests.sidetree.vectors import DIF, ION_SDK, SIDETREE_JS, needs_vectors, vector

ORB, ION = METHODS["did:orb"], METHODS["did:ion"]
LIFE = Life()
CREATE = parse(LIFE.create())
SUFFIX = LIFE.suffix
INITIAL = {"delta": CREATE["delta"], "suffixData": CREATE["suffixData"]}


@pytest.mark.parametrize(
    "anchor",
    [
        "uEiC123",
        "uAAA",
        "hl:uEiC123:uoQ-BeDVp",
        "https:orb.domain1.example:uEiC123",
        "https:localhost%3A48326:uAAA",
    ],
)
def test_every_form_of_orb_has_an_anchor_and_a_suffix(anchor: str) -> None:
    short = read_did(f"did:orb:{anchor}:{SUFFIX}", ORB)
    assert (short.namespace, short.anchor, short.suffix, short.initial) == ("did:orb", anchor, SUFFIX, None)
    long = read_did(long_form(short.text, CREATE), ORB)
    assert (long.anchor, long.suffix, long.initial) == (anchor, SUFFIX, INITIAL)


def test_others_have_the_suffix_alone_or_a_network_before_it() -> None:
    assert read_did(f"did:ion:{SUFFIX}", ION).anchor == ""
    assert read_did(f"did:ion:test:{SUFFIX}", ION).anchor == "test"


def test_a_long_form_carries_a_create() -> None:
    did = read_did(long_form(f"did:orb:uAAA:{SUFFIX}", CREATE), ORB)
    operation = did.initial_operation(NOW, 7)
    assert operation is not None
    assert parse(operation.request) == CREATE
    assert (operation.published, operation.time, operation.protocol_version) == (False, NOW, 7)
    assert operation.anchor_origin == ORIGIN
    assert read_did(f"did:orb:uAAA:{SUFFIX}", ORB).initial_operation(NOW) is None


def test_a_long_form_may_carry_the_whole_request() -> None:
    did = read_did(f"did:orb:uAAA:{SUFFIX}:{encode(canonical(CREATE))}", ORB)
    operation = did.initial_operation(NOW)
    assert operation is not None
    assert parse(operation.request) == CREATE


OTHER = {**INITIAL, "suffixData": {**INITIAL["suffixData"], "recoveryCommitment": hashed("other")}}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "is no did:orb DID"),
        (f"did:ion:{SUFFIX}", "is no did:orb DID"),
        (f"did:orbit:{SUFFIX}", "is no did:orb DID"),
        ("did:orb:", "no suffix"),
        ("did:orb:uAAA:", "no suffix"),
        ("did:orb:uAAA:suffix", "no suffix"),
        (f"did:orb:{SUFFIX}", "names its anchor"),
        (f"did:orb:uAAA:{SUFFIX}:nonsense", "no suffix"),
        (f"did:orb:uAAA:{SUFFIX}:{encode(b'[]')}", "no suffix"),
        (f"did:orb:uAAA:{SUFFIX}:{encode(b'{}')}", "has no 'delta'"),
        (f"did:orb:uAAA:{SUFFIX}:{encode(b'{ }')}", "canonical form"),
        (f"did:orb:uAAA:{SUFFIX}:{encode(canonical({**INITIAL, 'more': 1}))}", "no member 'more'"),
        (f"did:orb:uAAA:{SUFFIX}:{encode(canonical({**INITIAL, 'type': 'update'}))}", "is a create"),
        (f"did:orb:uAAA:{SUFFIX}:{encode(canonical(OTHER))}", "not what the suffix was made of"),
        (f"did:orb:uAAA:{SUFFIX}:{encode(canonical({**INITIAL, 'suffixData': 5}))}", "not what the suffix"),
    ],
)
def test_what_is_no_did_of_the_method_is_refused(text: str, reason: str) -> None:
    with pytest.raises(BadDid, match=reason):
        read_did(text, ORB)


BAD: list[dict[str, Any]] = [
    {"delta": {**INITIAL["delta"], "patches": [{"action": "nothing"}]}},
    {"delta": None},
    {"suffixData": {**INITIAL["suffixData"], "type": "long name"}},
]


@pytest.mark.parametrize("bad", BAD)
def test_a_long_form_of_what_no_version_takes_is_refused(bad: dict[str, Any]) -> None:
    initial = INITIAL | bad
    text = long_form(f"did:orb:uAAA:{hashed(initial['suffixData'])}", initial)
    with pytest.raises(BadDid, match="initial state is none"):
        read_did(text, ORB)


def test_a_long_form_of_what_an_older_version_took_is_read() -> None:
    older, newer = Protocol(), Protocol(genesis_time=5, max_delta_size=10)
    text = long_form(f"did:orb:uAAA:{SUFFIX}", INITIAL)
    assert read_did(text, replace(ORB, protocols=Protocols([older, newer]))).initial == INITIAL
    with pytest.raises(BadDid, match="over the limit of 10"):
        read_did(text, replace(ORB, protocols=Protocols([newer])))


@needs_vectors
def test_the_long_forms_of_dif_ion_and_sidetree_js_are_read() -> None:
    fixture = f"{SIDETREE_JS}/did-method-ion/src/__fixtures__/EiBgMkQDrUjGYkUZqQgTiOkZeyQiQgNuYZLiW1S9M-oDCA"
    texts = [
        vector(f"{DIF}/resolution/did.json")["longFormDid"],
        vector(f"{ION_SDK}/expected-values-from-specs.json")["createLongFormDid"]["longFormDid"],
        vector(f"{fixture}-LongFormDid.json")["longFormDid"],
    ]
    for text in texts:
        did = read_did(text, method_of(text))
        assert did.initial is not None
        assert long_form(f"{did.namespace}:{did.suffix}", did.initial) == text
