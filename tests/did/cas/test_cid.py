from __future__ import annotations

from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.did.cas.cid import Cid, cid_of, raw_cid
from penstock.did.cas.unixfs import DAG_PB, RAW
from penstock.errors import BadHashLink

#: What `ipfs add` and `ipfs add --cid-version=1` say of well-known contents.
KNOWN = [
    (
        b"",
        "QmbFMke1KXqnYyBBWxB74N4c5SBnJMVAiMNRcGu6x1AwQH",
        "bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku",
    ),
    (
        b"hello world\n",
        "QmT78zSuBmuS4z925WZfrqQ1qHaJ56DQaTfyMUF7F8ff5o",
        "bafkreifjjcie6lypi6ny7amxnfftagclbuxndqonfipmb64f2km2devei4",
    ),
    (
        bytes(1 << 20),
        "QmVkbauSDEaMP4Tkq6Epm9uW75mWm136n81YH8fGtfwdHU",
        "bafybeiggzq4ryi7hscq5hzvzcnk4urnxt3asp37dhgvnjilf7exskximla",
    ),
]


@pytest.mark.parametrize(
    ("data", "version_0", "version_1"), KNOWN, ids=["nothing", "hello", "a MiB of zeros"]
)
def test_a_content_has_the_cid_that_ipfs_gives_it(data: bytes, version_0: str, version_1: str) -> None:
    assert cid_of(data, version=0) == version_0
    assert cid_of(data) == version_1
    assert str(Cid.parse(version_0)) == version_0
    assert str(Cid.parse(version_1)) == version_1


def test_the_cid_of_a_small_content_follows_from_its_hash() -> None:
    digest = sha256(b"hello world\n").digest()
    assert raw_cid(digest) == KNOWN[1][2]
    assert Cid.parse(KNOWN[1][2]) == Cid(1, RAW, digest)
    assert Cid.parse(KNOWN[1][1]).codec == DAG_PB


@pytest.mark.parametrize(
    "text",
    [
        "",
        "b",
        "Qm",
        "Qm0",
        KNOWN[1][1][:-1],
        KNOWN[1][1] + "1",
        KNOWN[1][2].upper(),
        KNOWN[1][2][:-1],
        KNOWN[1][2][:-1] + "5",  # bits behind the last byte
        "z" + KNOWN[1][2][1:],
        "bafyreihdb57fdysx5h35urvxz64ros7zvywshber7id6t6c6fek37jgyfe",  # dag-cbor is no file
        "b" + "a" * 4000,
        "bü",
    ],
)
def test_anything_else_is_no_cid(text: str) -> None:
    with pytest.raises(BadHashLink):
        Cid.parse(text)


@given(st.sampled_from(["", "b", "Qm", "bafk"]), st.text(max_size=60))
def test_any_text_is_a_cid_or_refused(beginning: str, rest: str) -> None:
    try:
        found = Cid.parse(beginning + rest)
    except BadHashLink:
        return
    assert str(found) == beginning + rest
