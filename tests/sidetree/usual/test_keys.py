from __future__ import annotations

from typing import Any

import msgspec
import pytest

from penstock.errors import BadKey, BadSignature
from penstock.sidetree.base64url import encode
from penstock.sidetree.canonical import canonical
from penstock.sidetree.jws import Parts, parts_of, read_jws, verify
from penstock.sidetree.keys import KINDS
from penstock.sidetree.protocol import ORB
from penstock.sidetree.usual import Usual
from penstock.sidetree.usual.keys import CURVES, P256, Ed25519, Key, Secp256k1
from tests.sidetree.lives import key

ALGORITHMS = ORB.signature_algorithms
READERS: dict[str, Usual[Any]] = {
    "P-256": Usual(P256),
    "secp256k1": Usual(Secp256k1),
    "Ed25519": Usual(Ed25519),
}


def usual(public: dict[str, str]) -> Key:
    found: Key | None = READERS[public["crv"]].read(canonical(public))
    assert found is not None
    return found


def compact(name: str, curve: str) -> str:
    return key(name, curve).sign({"said": "something"})


def signed(name: str, curve: str) -> Parts:
    return parts_of(compact(name, curve), ALGORITHMS)


@pytest.mark.parametrize(("curve", "kind"), [("P-256", P256), ("secp256k1", Secp256k1), ("Ed25519", Ed25519)])
def test_the_keys_that_we_make_are_usual(curve: str, kind: type) -> None:
    assert isinstance(Usual(kind).read(canonical(key("usual", curve).public)), kind)
    others = CURVES - {curve}
    assert all(Usual(kind).read(canonical(key("usual", other).public)) is None for other in others)


def test_ed25519_may_do_without_the_empty_y() -> None:
    public = {name: value for name, value in key("usual", "Ed25519").public.items() if value}
    assert "y" not in public
    assert usual(public).point() == usual(key("usual", "Ed25519").public).point()
    assert Usual(Ed25519).read(canonical({**public, "y": public["x"]})) is None


def test_every_curve_that_signs_is_there() -> None:
    assert KINDS.keys() == CURVES


@pytest.mark.parametrize("curve", CURVES)
def test_a_signature_holds_for_its_key_and_its_data(curve: str) -> None:
    public, jws = usual(key("signer", curve).public), signed("signer", curve)
    assert public.has_made(jws)
    assert not usual(key("somebody else", curve).public).has_made(jws)
    assert not public.has_made(msgspec.structs.replace(jws, signed=jws.signed + b"x"))
    for nobodys in (bytes(64), b"\xff" * 64):
        assert not public.has_made(msgspec.structs.replace(jws, signature=nobodys))


@pytest.mark.parametrize("curve", CURVES)
def test_a_key_signs_with_the_algorithm_of_its_curve_alone(curve: str) -> None:
    public, jws = usual(key("signer", curve).public), signed("signer", curve)
    for other in ALGORITHMS - {jws.algorithm}:
        assert not public.has_made(msgspec.structs.replace(jws, algorithm=other))


@pytest.mark.parametrize("curve", CURVES)
def test_a_key_that_is_no_point_of_its_curve_has_made_nothing(curve: str) -> None:
    nowhere = {**key("signer", curve).public, "x": encode(b"\xff" * 32)}
    assert not usual(nowhere).has_made(signed("signer", curve))
    with pytest.raises((BadKey, BadSignature)):
        verify(read_jws(compact("signer", curve), ALGORITHMS), nowhere)
