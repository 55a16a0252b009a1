from __future__ import annotations

import pytest

from penstock.errors import BadKey
from penstock.sidetree.jws import read_jws, verify
from penstock.sidetree.keys import check_key, kind_of
from penstock.sidetree.protocol import ORB
from penstock.sidetree.signing import SigningKey
from tests.sidetree.lives import key


@pytest.mark.parametrize("curve", ["P-256", "secp256k1", "Ed25519"])
def test_a_key_is_made_kept_and_had_again(curve: str) -> None:
    made = SigningKey.made(curve)
    again = SigningKey.of(made.jwk())
    assert again.public == made.public
    assert again.jwk() == made.jwk()
    check_key(again.public, ORB)
    assert kind_of(again.public) is made.kind
    verify(read_jws(again.sign({"n": 1}), ORB.signature_algorithms), made.public)


def test_a_key_on_ed25519_is_written_as_orbs_nodes_hash_it() -> None:
    # They write every y, and nobody can redeem a commitment there that was made of a key without one.
    made = SigningKey.made("Ed25519")
    assert made.public == {"kty": "OKP", "crv": "Ed25519", "x": made.public["x"], "y": ""}
    # What a wallet has kept since before is promised as it is.
    without = {name: value for name, value in made.jwk().items() if name != "y"}
    assert SigningKey.of(without).public == {"kty": "OKP", "crv": "Ed25519", "x": made.public["x"]}
    assert SigningKey.of(without).jwk() == without


def test_no_two_keys_are_the_same() -> None:
    assert SigningKey.made().public != SigningKey.made().public


@pytest.mark.parametrize("curve", ["P-256", "secp256k1", "Ed25519"])
def test_coordinates_and_signatures_have_their_size_whatever_they_begin_with(curve: str) -> None:
    # One of 256 begins with a zero byte, which must not be lost.
    for number in range(300):
        signer = key(f"number {number}", curve)
        check_key(signer.public, ORB)
    assert len(signer._key.sign(b"data")) == 64


def test_what_must_stay_secret_is_not_shown() -> None:
    secret = key("somebody").jwk()["d"]
    assert secret not in repr(key("somebody"))
    assert "d" not in key("somebody").public


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"d": ""}, "no private key"),
        ({"d": "a b"}, "no private key"),
        ({"d": "AQ"}, "another key's"),
        ({"crv": "P-384"}, "no private key: operations are signed with keys on P-256"),
        ({"x": key("another").public["x"]}, "another key's"),
        ({"kty": "OKP"}, "another key's"),
    ],
)
def test_a_jwk_that_holds_no_key_is_refused(changes: dict[str, str], reason: str) -> None:
    with pytest.raises(BadKey, match=reason):
        SigningKey.of({**key("somebody").jwk(), **changes})
