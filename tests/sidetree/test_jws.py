from __future__ import annotations

from typing import Any

import pytest

from penstock.errors import BadSignature
from penstock.sidetree.base64url import encode
from penstock.sidetree.jws import known_algorithm, read_jws, verify
from tests.sidetree.lives import key
from tests.sidetree.vectors import DIF, ION_SDK, lives, needs_vectors, vector

ALGORITHMS = frozenset({"EdDSA", "ES256", "ES256K"})
COMPACT = key("signer").sign({"said": "something"})


def with_header(header: bytes) -> str:
    return f"{encode(header)}.{COMPACT.split('.', 1)[1]}"


@pytest.mark.parametrize("curve", ["P-256", "secp256k1", "Ed25519"])
def test_a_signature_holds_for_its_key(curve: str) -> None:
    signer = key("signer", curve)
    jws = read_jws(signer.sign({"said": "something"}, kid="key-1"), ALGORITHMS)
    assert jws.payload == {"said": "something"}
    verify(jws, signer.public)
    with pytest.raises(BadSignature, match="not of this key"):
        verify(jws, key("somebody else", curve).public)


def test_a_signature_is_of_the_bytes_that_came_not_of_their_meaning() -> None:
    signer = key("signer")
    protected = encode(b'{ "alg" : "ES256" }')
    signed = f"{protected}.{encode(b'[ 1 ]')}"
    compact = f"{signed}.{encode(signer._key.sign(signed.encode()))}"
    verify(read_jws(compact, ALGORITHMS), signer.public)


@pytest.mark.parametrize(
    ("compact", "reason"),
    [
        (None, "compact JWS"),
        ({"payload": "", "signature": ""}, "compact JWS"),
        ("", "compact JWS"),
        ("a.b", "compact JWS"),
        (f"{COMPACT}.", "compact JWS"),
        (with_header(b""), "header cannot be read"),
        (with_header(b"[]"), "nothing else"),
        (with_header(b"{}"), "name its algorithm"),
        (with_header(b'{"alg":""}'), "name its algorithm"),
        (with_header(b'{"alg":null}'), "name its algorithm"),
        (with_header(b'{"alg":["ES256"]}'), "name its algorithm"),
        (with_header(b'{"alg":"none"}'), "not with 'none'"),
        (with_header(b'{"alg":"HS256"}'), "not with 'HS256'"),
        (with_header(b'{"alg":"ES256","typ":"JWT"}'), "nothing else"),
        (with_header(b'{"alg":"ES256","crit":["b64"],"b64":false}'), "nothing else"),
        (with_header(b'{"alg":"ES256","kid":5}'), "name its algorithm"),
        (with_header(b'{"alg":"ES256","alg":"ES256"}'), "stands twice"),
        (COMPACT.replace(".", "=.", 1), "header cannot be read"),
        (COMPACT + "=", "cannot be read"),
        (COMPACT[: COMPACT.rindex(".") + 1], "no signature"),
        (f"{COMPACT.split('.')[0]}..{COMPACT.split('.')[2]}", "cannot be read"),
        (f"{COMPACT.split('.')[0]}.{encode(b'not json')}.AA", "cannot be read"),
    ],
)
def test_what_is_no_signature_of_an_operation_is_refused(compact: Any, reason: str) -> None:
    with pytest.raises(BadSignature, match=reason):
        read_jws(compact, ALGORITHMS)


def test_what_strangers_put_into_long_headers_is_not_kept() -> None:
    before = known_algorithm.cache_info().currsize
    for number in range(3):
        long = with_header(b'{"alg":"ES256","kid":"%d%s"}' % (number, b"x" * 100_000))
        assert read_jws(long, ALGORITHMS).algorithm == "ES256"
    assert known_algorithm.cache_info().currsize == before


def test_an_algorithm_that_the_protocol_does_not_take_is_refused() -> None:
    with pytest.raises(BadSignature, match="signed with EdDSA, not with 'ES256'"):
        read_jws(COMPACT, ["EdDSA"])


@pytest.mark.parametrize(
    ("curve", "algorithm"),
    [("P-256", "ES256K"), ("secp256k1", "ES256"), ("Ed25519", "ES256K"), ("P-256", "EdDSA")],
)
def test_the_algorithm_must_fit_the_key(curve: str, algorithm: str) -> None:
    signer = key("signer", curve)
    jws = read_jws(signer.sign({}, alg=algorithm), ALGORITHMS)
    with pytest.raises(BadSignature, match=f"signs with {signer.kind.algorithm}, not with '{algorithm}'"):
        verify(jws, signer.public)


@needs_vectors
def test_the_signatures_of_dif_and_ion_hold() -> None:
    requests = [
        vector(f"{DIF}/operations/{name}Operation.json") for name in ("update", "recover", "deactivate")
    ]
    ion = vector(f"{ION_SDK}/expected-values-from-specs.json")
    compacts = [request["signedData"] for request in requests]
    compacts += [ion[f"create{name}Request"]["signedData"] for name in ("Update", "Recover", "Deactivate")]
    for compact in compacts:
        jws = read_jws(compact, ALGORITHMS)
        verify(jws, jws.payload.get("updateKey") or jws.payload["recoveryKey"])


@needs_vectors
def test_ed25519_under_the_name_of_es256k_is_refused_as_sidetree_js_has_it() -> None:
    for _, *signed in lives("ed25519"):
        for request in signed:
            jws = read_jws(request["signedData"], ALGORITHMS)
            with pytest.raises(BadSignature, match="signs with EdDSA, not with 'ES256K'"):
                verify(jws, jws.payload.get("updateKey") or jws.payload["recoveryKey"])
