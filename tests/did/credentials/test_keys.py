from __future__ import annotations

from base64 import b64decode, b64encode

import pytest
from cryptography.hazmat.primitives.asymmetric.ec import SECP384R1, generate_private_key
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
)

from penstock.did.credentials.keys import ED25519, P_256, P_384, PublicKey, SigningKey
from penstock.errors import BadKey

KINDS = [ED25519, P_256]


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_signed_is_verified_and_nothing_else(kind: str) -> None:
    key, other = SigningKey.generate(kind), SigningKey.generate(kind)
    signature = key.sign(b"anchor")
    assert len(signature) == 64
    assert key.public.verify(b"anchor", signature)
    assert not key.public.verify(b"ancho", signature)
    assert not other.public.verify(b"anchor", signature)
    for forged in (b"", signature[:-1], signature + b"\0", bytes(64), signature[32:] + signature[:32]):
        assert not key.public.verify(b"anchor", forged)


@pytest.mark.parametrize("kind", KINDS)
def test_signing_once_more_gives_the_same_signature(kind: str) -> None:
    key = SigningKey.generate(kind)
    assert key.sign(b"anchor") == key.sign(b"anchor")


@pytest.mark.parametrize("kind", KINDS)
def test_a_public_key_comes_back_from_every_form(kind: str) -> None:
    key = SigningKey.generate(kind)
    public = key.public
    standard = load_pem_private_key(key.pem, None).public_key()
    in_standard_pem = standard.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()
    assert public.kind == kind
    assert PublicKey.from_multikey(public.multikey) == public
    assert PublicKey.from_jwk(public.jwk) == public
    assert PublicKey.from_pem(public.pem) == public
    assert PublicKey.from_pem(in_standard_pem) == public


def test_a_public_key_on_p_384_comes_back_from_every_form() -> None:
    theirs = generate_private_key(SECP384R1()).public_key()
    public = PublicKey.wrapping(theirs)
    in_standard_pem = theirs.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()
    assert public.kind == P_384
    assert PublicKey.from_multikey(public.multikey) == public
    assert PublicKey.from_jwk(public.jwk) == public
    assert PublicKey.from_pem(public.pem) == PublicKey.from_pem(in_standard_pem) == public


@pytest.mark.parametrize("kind", KINDS)
def test_the_secret_comes_back_from_its_pem_and_is_not_shown(kind: str) -> None:
    key = SigningKey.generate(kind)
    assert SigningKey.from_pem(key.pem).public == key.public
    assert repr(key) == f"<SigningKey {key.public.multikey}>"


@pytest.mark.parametrize(
    ("kind", "raw"),
    [
        (ED25519, bytes(31)),
        (P_256, bytes(33)),
        (P_256, b"\x04" + bytes(64)),
        (P_384, b"\x02" + bytes(32)),
        (P_384, b"\x04" + bytes(96)),
    ],
)
def test_what_is_no_key_is_refused(kind: str, raw: bytes) -> None:
    with pytest.raises(BadKey, match=kind):
        PublicKey.of(kind, raw)


@pytest.mark.parametrize("other", [generate_private_key(SECP384R1()), X25519PrivateKey.generate()])
def test_keys_of_other_kinds_are_refused(other: X25519PrivateKey) -> None:
    pem = other.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    with pytest.raises(BadKey, match="Ed25519 or P-256"):
        SigningKey.from_pem(pem)
    with pytest.raises(BadKey, match="no private key"):
        SigningKey.from_pem(b"no key")


def test_a_key_of_a_kind_that_is_new_to_the_library_is_refused() -> None:
    known = SigningKey.generate().pem.decode()
    # Ed25519 is 1.3.101.112; nothing is 1.3.101.121.
    packed = b64decode("".join(known.splitlines()[1:-1])).replace(b"\x2b\x65\x70", b"\x2b\x65\x79")
    pem = known.replace(known.splitlines()[1], b64encode(packed).decode())
    with pytest.raises(BadKey, match="no private key"):
        SigningKey.from_pem(pem.encode())
