from __future__ import annotations

from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.errors import BadEncoding
from penstock.sidetree.base64url import decode, encode
from penstock.sidetree.canonical import canonical
from penstock.sidetree.multihash import (
    check_hash,
    commitment,
    commitment_of,
    digest_of,
    hashed,
    multihash,
    promises,
    reveal,
)
from tests.sidetree.vectors import ION_SDK, needs_vectors, vector


def test_a_hash_says_how_it_was_made() -> None:
    assert multihash(b"x") == b"\x12\x20" + sha256(b"x").digest()
    assert hashed({"b": 1, "a": 2}) == encode(multihash(b'{"a":2,"b":1}'))


@needs_vectors
def test_reveal_values_and_commitments_are_those_of_ion() -> None:
    expected = vector(f"{ION_SDK}/expected-values-from-specs.json")
    first = vector(f"{ION_SDK}/tests/vectors/inputs/jwkEs256k1Public.json")
    second = vector(f"{ION_SDK}/tests/vectors/inputs/jwkEs256k2Public.json")
    assert reveal(first) == expected["createUpdateRequest"]["revealValue"]
    assert commitment(first) == expected["createCreateRequest"]["suffixData.recoveryCommitment"]
    assert commitment(second) == expected["createCreateRequest"]["delta.updateCommitment"]


def test_a_reveal_value_is_enough_to_know_the_commitment() -> None:
    key = {"kty": "OKP", "crv": "Ed25519", "x": "AA"}
    assert commitment_of(reveal(key)) == commitment(key)
    assert promises(canonical(key)) == (reveal(key), commitment(key))


@given(st.binary(min_size=34, max_size=34))
def test_a_hash_is_known_by_its_letters(data: bytes) -> None:
    wrong, right = encode(data), encode(b"\x12\x20" + data[2:])
    assert digest_of(right) == data[2:]
    if data[:2] != b"\x12\x20":
        with pytest.raises(BadEncoding, match="multihash"):
            check_hash(wrong)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "EiA",
        encode(b"\x12\x20" + bytes(31)),
        encode(b"\x12\x20" + bytes(33)),
        encode(b"\x13\x40" + bytes(64)),  # SHA-512
        encode(b"\x12\x20" + bytes(32))[:-1] + "B",  # bits behind the end
        encode(b"\x12\x20" + bytes(32)) + "\n",
        encode(b"\x12\x20" + bytes(32)) + "=",
        "Ei\u0391" + "A" * 43,
    ],
)
def test_what_is_no_hash_of_sha_256_is_refused(text: str) -> None:
    with pytest.raises(BadEncoding, match="multihash"):
        check_hash(text)
    with pytest.raises(BadEncoding, match="multihash"):
        commitment_of(text)


@given(st.text("AEiQ_-gwBx", min_size=46, max_size=46))
def test_letters_that_pass_can_be_decoded(text: str) -> None:
    try:
        check_hash(text)
    except BadEncoding:
        return
    assert decode(text).startswith(b"\x12\x20")
