from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from penstock.errors import BadKey
from penstock.sidetree.base64url import decode, encode
from penstock.sidetree.keys import KINDS, ORDER_SECP256K1, check_key, kind_of, signed_by
from penstock.sidetree.protocol import ORB
from tests.sidetree.lives import key

CURVES = ["P-256", "secp256k1", "Ed25519"]
EC = key("ec").public
OKP = key("okp", "Ed25519").public
#: By which operations carry keys only that can sign.
SOUND = replace(ORB, any_key=False)


def signature_of(curve: str, data: bytes) -> tuple[dict[str, str], bytes]:
    """A key, and its signature of a compact JWS whose signed part is given back as `data`."""
    signer = key("signer", curve)
    return signer.public, signer._key.sign(data)


@pytest.mark.parametrize("curve", CURVES)
def test_a_key_knows_its_own_signature_and_no_other(curve: str) -> None:
    public, signature = signature_of(curve, b"data")
    assert signed_by(public, signature, b"data")
    assert not signed_by(public, signature, b"datA")
    assert not signed_by(key("somebody else", curve).public, signature, b"data")
    assert not signed_by(public, bytes(64), b"data")
    assert not signed_by(public, b"\xff" * 64, b"data")
    assert not signed_by(public, signature[:-1], b"data")
    assert not signed_by(public, signature + b"\x00", b"data")


def test_both_signatures_that_secp256k1_allows_are_taken() -> None:
    public, signature = signature_of("secp256k1", b"data")
    s = int.from_bytes(signature[32:], "big")
    other = signature[:32] + (ORDER_SECP256K1 - s).to_bytes(32, "big")
    assert signed_by(public, other, b"data")


@pytest.mark.parametrize("curve", CURVES)
def test_a_key_of_each_kind_is_taken(curve: str) -> None:
    public = key("any", curve).public
    check_key(public, ORB)
    check_key(public, SOUND)
    assert kind_of(public) is KINDS[curve]


@pytest.mark.parametrize(
    "jwk",
    [
        {**OKP, "y": ""},  # as Orb writes it
        {**EC, "nonce": encode(bytes(16))},
        {**EC, "nonce": ""},
    ],
)
def test_what_other_implementations_write_is_taken(jwk: dict[str, Any]) -> None:
    check_key(jwk, ORB)


@pytest.mark.parametrize(
    ("jwk", "reason"),
    [
        ("a text", "object"),
        (None, "object"),
        ({}, "no keys on None"),
        ({**EC, "crv": "P-521"}, "no keys on 'P-521'"),
        ({**EC, "kty": ""}, "no 'kty'"),
        ({"kty": "EC", "crv": "P-256"}, "no 'x'"),
        ({**EC, "d": "AA"}, "no member 'd'"),
        ({**EC, "kid": "1"}, "no member 'kid'"),
        ({**EC, "x": 5}, "texts"),
        ({**EC, "crv": ["P-256"]}, "texts"),
        ({**EC, "y": None}, "texts"),
        ({**EC, "nonce": encode(bytes(15))}, "16 bytes"),
        ({**EC, "nonce": "a b"}, "nonce must be base64url"),
    ],
)
def test_what_is_no_public_key_is_refused(jwk: Any, reason: str) -> None:
    with pytest.raises(BadKey, match=reason):
        check_key(jwk, ORB)


@pytest.mark.parametrize(
    ("jwk", "reason"),
    [
        ({**EC, "crv": "P-384"}, "not on 'P-384'"),  # a curve of Orb's list that nothing signs with
        ({**EC, "crv": "Ed25519"}, "kty 'OKP'"),
        ({**OKP, "kty": "EC"}, "kty 'OKP'"),
        ({**EC, "kty": "RSA"}, "kty 'EC'"),
        ({**EC, "y": ""}, "32 of y"),
        ({**EC, "x": EC["x"] + "="}, "base64url"),
        ({**EC, "x": EC["x"][:-1] + "B"}, "base64url"),  # bits behind the last byte
        ({**EC, "x": EC["x"] + "\n"}, "base64url"),
        ({**EC, "x": encode(bytes(31))}, "32 bytes of x"),
        ({**OKP, "y": OKP["x"]}, "0 of y"),
        ({"kty": "EC", "crv": "P-256", "x": EC["x"]}, "32 of y"),
    ],
)
def test_what_can_sign_nothing_is_carried_where_orbs_nodes_carry_it(jwk: Any, reason: str) -> None:
    check_key(jwk, ORB)
    with pytest.raises(BadKey, match=reason):
        check_key(jwk, SOUND)
    with pytest.raises(BadKey, match=reason):
        signed_by(jwk, bytes(64), b"data")


def test_a_curve_that_the_protocol_does_not_take_is_refused() -> None:
    with pytest.raises(BadKey, match="takes no keys on 'P-256'"):
        check_key(EC, replace(ORB, key_curves=frozenset({"Ed25519"})))


@pytest.mark.parametrize("curve", ["P-256", "secp256k1"])
def test_a_point_beside_its_curve_is_refused(curve: str) -> None:
    public, signature = signature_of(curve, b"data")
    y = bytearray(decode(public["y"]))
    y[-1] ^= 1
    with pytest.raises(BadKey, match="no point"):
        signed_by({**public, "y": encode(bytes(y))}, signature, b"data")
