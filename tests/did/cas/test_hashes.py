from __future__ import annotations

from hashlib import sha256

import pytest

from penstock.did.cas.hashes import digest_of, resource_hash, verify
from penstock.errors import BadHashLink, ContentForged

#: echo -n '' | sha256sum, with 0x12 0x20 before it, in base64url, with u before it.
OF_NOTHING = "uEiDjsMRCmPwcFJr79MiZb7kkJ65B5GSbk0yklZkbeFK4VQ"


def test_the_name_of_a_content_is_made_of_its_bytes() -> None:
    assert resource_hash(b"") == OF_NOTHING
    assert digest_of(OF_NOTHING) == sha256(b"").digest()


@pytest.mark.parametrize(
    "name",
    [
        "",
        "u",
        OF_NOTHING[1:],
        "z" + OF_NOTHING[1:],
        OF_NOTHING + "=",
        OF_NOTHING[:-1],
        OF_NOTHING[:-1] + "R",  # bits behind the last byte
        OF_NOTHING.replace("uEi", "uEy"),  # another hash function
        "u../../etc/passwd",
    ],
)
def test_anything_else_is_no_name(name: str) -> None:
    with pytest.raises(BadHashLink):
        digest_of(name)


def test_bytes_of_another_name_are_forged_and_their_source_is_told() -> None:
    verify(b"", OF_NOTHING, source="here")
    with pytest.raises(ContentForged, match=f"^elsewhere has uEi.* where {OF_NOTHING} should be$"):
        verify(b"!", OF_NOTHING, source="elsewhere")
