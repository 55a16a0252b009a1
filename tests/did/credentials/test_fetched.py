from __future__ import annotations

import pytest

from penstock.clock import VirtualClock
from penstock.did.credentials.fetched import FetchedKeys
from penstock.did.credentials.keys import PublicKey, SigningKey
from penstock.did.credentials.methods import did_key, document_of
from penstock.errors import BadCredential, ContentNotFound, ContentTooLarge, Unavailable
from penstock.sidetree.canonical import canonical

KEY, OTHER = SigningKey.generate().public, SigningKey.generate().public
DID = "did:web:a.example"
METHOD = f"{DID}#main"


class Web:
    """One document, which may change."""

    def __init__(self, answer: bytes | Exception) -> None:
        self.answer = answer
        self.asked: list[str] = []

    def fetch(self, url: str, *, limit: int, accept: str) -> bytes:
        self.asked.append(url)
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


def document(key: PublicKey) -> bytes:
    return canonical(document_of(DID, {"main": key}))


def test_a_key_is_fetched_from_its_owners_document_and_believed_for_a_while() -> None:
    web, clock = Web(document(KEY)), VirtualClock()
    keys = FetchedKeys(web.fetch, clock, kept_for=60)
    assert keys.public_key(METHOD) == KEY
    web.answer = document(OTHER)
    assert keys.public_key(METHOD) == KEY
    clock.advance(60)
    assert keys.public_key(METHOD) == OTHER
    assert web.asked == ["https://a.example/.well-known/did.json"] * 2


def test_a_key_that_is_its_own_name_is_not_fetched() -> None:
    web = Web(ContentNotFound("404"))
    assert FetchedKeys(web.fetch, VirtualClock()).public_key(did_key(KEY)) == KEY
    assert web.asked == []


@pytest.mark.parametrize(
    "answer",
    [
        ContentNotFound("404"),
        ContentTooLarge("huge"),
        b"no JSON",
        b"[]",
        b"{}",
        b'{"id":"did:web:b.example"}',
    ],
)
def test_a_key_that_is_nowhere_is_refused(answer: bytes | Exception) -> None:
    with pytest.raises(BadCredential) as caught:
        FetchedKeys(Web(answer).fetch, VirtualClock()).public_key(METHOD)
    assert caught.value.rule == "method"


def test_a_domain_that_is_away_leaves_it_open() -> None:
    with pytest.raises(Unavailable):
        FetchedKeys(Web(Unavailable("away")).fetch, VirtualClock()).public_key(METHOD)
