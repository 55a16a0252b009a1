from __future__ import annotations

import pytest

from penstock.did.credentials.writing import from_jwk, from_multikey, from_pem, jwk, multikey, pem
from penstock.errors import BadKey

ED = bytes(range(32))
POINT = b"\x04" + bytes(range(64))
LARGER = b"\x04" + bytes(range(96))


def test_a_multikey_says_its_kind() -> None:
    assert multikey("Ed25519", ED).startswith("z6Mk")
    assert multikey("P-256", b"\x02" + bytes(range(32))).startswith("zDn")
    assert from_multikey(multikey("Ed25519", ED)) == ("Ed25519", ED)
    assert from_multikey(multikey("P-256", POINT)) == ("P-256", POINT)
    assert multikey("P-384", b"\x02" + bytes(range(48))).startswith("z82L")
    assert from_multikey(multikey("P-384", LARGER)) == ("P-384", LARGER)


def test_a_jwk_has_the_coordinates() -> None:
    assert jwk("Ed25519", ED) == {
        "kty": "OKP",
        "crv": "Ed25519",
        "x": "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8",
    }
    assert from_jwk(jwk("Ed25519", ED)) == ("Ed25519", ED)
    assert from_jwk(jwk("P-256", POINT)) == ("P-256", POINT)
    assert from_jwk(jwk("P-384", LARGER)) == ("P-384", LARGER)


def test_orbs_pem_has_the_kind_as_its_label_and_the_bare_key_inside() -> None:
    assert pem("Ed25519", ED) == (
        "-----BEGIN Ed25519-----\nAAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=\n-----END Ed25519-----\n"
    )
    assert from_pem(pem("Ed25519", ED)) == ("Ed25519", ED)
    assert from_pem(pem("P-256", POINT)) == ("P-256", POINT)


@pytest.mark.parametrize("text", ["", "6Mk", "z", "z0", "z6Mk!", "zQ3s", "u7QE"])
def test_what_is_no_multikey_of_a_known_kind_is_refused(text: str) -> None:
    with pytest.raises(BadKey):
        from_multikey(text)


@pytest.mark.parametrize(
    "said",
    [
        {},
        {"kty": "OKP", "crv": "Ed25519"},
        {"kty": "OKP", "crv": "Ed25519", "x": "="},
        {"kty": "OKP", "crv": "X25519", "x": "AA"},
        {"kty": "EC", "crv": "P-256", "x": "AA"},
        {"kty": "EC", "crv": "P-384", "x": "AA"},
        {"kty": "EC", "crv": "P-521", "x": "AA", "y": "AA"},
        {"kty": "EC", "crv": "secp256k1", "x": "AA", "y": "AA"},
        {"kty": "RSA", "n": "AA", "e": "AQAB"},
    ],
)
def test_what_is_no_jwk_of_a_known_kind_is_refused(said: dict[str, str]) -> None:
    with pytest.raises(BadKey):
        from_jwk(said)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "AAAA",
        "-----BEGIN Ed25519-----\nAAAA\n-----END P-256-----\n",
        "-----BEGIN Ed25519-----\nAAA\n-----END Ed25519-----\n",
        "-----BEGIN RSA PUBLIC KEY-----\nAAAA\n-----END RSA PUBLIC KEY-----\n",
        "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n",
    ],
)
def test_what_is_no_pem_of_a_known_kind_is_refused(text: str) -> None:
    with pytest.raises(BadKey):
        from_pem(text)
