from __future__ import annotations

import pytest

from penstock.did.cas.cid import cid_of
from penstock.did.cas.hashes import resource_hash
from penstock.did.cas.hashlink import HashLink
from penstock.did.cas.reference import Reference
from penstock.errors import BadHashLink

NAME = resource_hash(b"content")
LINKS = ("https://a.example/cas/x", "ipfs://b")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (NAME, Reference(hash=NAME)),
        (f"hl:{NAME}", Reference(hash=NAME)),
        (str(HashLink.to(NAME, LINKS)), Reference(hash=NAME, links=LINKS)),
        (f"https:orb.example.com:{NAME}", Reference(hash=NAME, domain="https://orb.example.com")),
        (f"http:localhost:8080:{NAME}", Reference(hash=NAME, domain="http://localhost:8080")),
        (f"ipfs:{NAME}", Reference(hash=NAME, links=(f"ipfs://{cid_of(b'content')}",))),
    ],
)
def test_a_reference_says_which_content_and_who_may_have_it(text: str, expected: Reference) -> None:
    assert Reference.parse(text) == expected


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "resource hash"),
        ("content", "resource hash"),
        (f"ftp:orb.example.com:{NAME}", "no way to content is known by 'ftp'"),
        ("https:orb.example.com:x", "resource hash"),
        (f"https:{NAME}", "no domain"),
        (f"https:a/b:{NAME}", "no domain"),
        (f"https:user@host:{NAME}", "no domain"),
        (f"https:host:port:{NAME}", "no domain"),
        (f"https:-host:{NAME}", "no domain"),
        ("ipfs:Qm", "resource hash"),
    ],
)
def test_anything_else_is_refused_with_its_reason(text: str, reason: str) -> None:
    with pytest.raises(BadHashLink, match=reason):
        Reference.parse(text)
