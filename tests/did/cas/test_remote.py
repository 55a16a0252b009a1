from __future__ import annotations

import json
from dataclasses import dataclass, field

import pytest

from penstock.did.cas.cid import cid_of
from penstock.did.cas.hashes import resource_hash
from penstock.did.cas.reference import Reference
from penstock.did.cas.remote import Remote
from penstock.errors import ContentForged, ContentNotFound, ContentTooLarge, NotAcceptable, Unavailable

DATA = b"content"
NAME = resource_hash(DATA)
A, B = f"https://a.example/cas/{NAME}", f"https://b.example/cas/{NAME}"
IPFS = f"ipfs://{cid_of(DATA)}"
GATEWAY = f"https://gateway.example/ipfs/{cid_of(DATA)}"
DOMAIN = "https://c.example"
QUESTION = f"https://c.example/.well-known/webfinger?resource=https%3A%2F%2Fc.example%2Fcas%2F{NAME}"


@dataclass
class Web:
    """What each URL has: bytes, or what goes wrong there."""

    pages: dict[str, bytes | Exception]
    asked: list[str] = field(default_factory=list)

    def fetch(self, url: str, *, limit: int, accept: str = "") -> bytes:
        self.asked.append(url)
        found = self.pages.get(url, ContentNotFound(f"{url} answers 404"))
        if isinstance(found, Exception):
            raise found
        return found


def jrd(**links: str) -> bytes:
    return json.dumps({"links": [{"rel": rel, "href": href} for rel, href in links.items()]}).encode()


WANTED = Reference(hash=NAME, links=(IPFS, A, B), domain=DOMAIN)
FOUND_THERE = {QUESTION: jrd(self="https://c.example/elsewhere"), "https://c.example/elsewhere": DATA}


@pytest.mark.parametrize(
    ("pages", "asked"),
    [
        ({A: DATA}, [A]),
        ({B: DATA}, [A, B]),
        ({A: b"lie", B: DATA}, [A, B]),
        ({A: Unavailable("away"), B: DATA}, [A, B]),
        ({GATEWAY: DATA}, [A, B, GATEWAY]),
        (FOUND_THERE, [A, B, GATEWAY, QUESTION, "https://c.example/elsewhere"]),
        ({QUESTION: jrd(alternate="https://d.example/x"), "https://d.example/x": DATA}, None),
    ],
    ids=["first", "second", "a lie", "away", "ipfs", "domain", "a copy"],
)
def test_one_place_after_the_other_is_asked_until_one_has_it(
    pages: dict[str, bytes | Exception], asked: list[str] | None
) -> None:
    web = Web(pages)
    assert Remote(read=web.fetch, ipfs_gateway="https://gateway.example/").fetch(WANTED, limit=100) == DATA
    assert asked is None or web.asked == asked


@pytest.mark.parametrize(
    ("pages", "expected"),
    [
        ({}, ContentNotFound),
        ({A: b"lie"}, ContentForged),
        ({A: ContentTooLarge("huge")}, ContentTooLarge),
        ({A: b"lie", B: Unavailable("away")}, Unavailable),
        ({QUESTION: b"no JSON"}, ContentNotFound),
        ({QUESTION: jrd(other="x")}, ContentNotFound),
        ({QUESTION: Unavailable("away")}, Unavailable),
    ],
)
def test_if_nobody_has_it_the_worst_news_is_told(
    pages: dict[str, bytes | Exception], expected: type[Exception]
) -> None:
    with pytest.raises(expected, match=f"^{NAME} could not be had: ") as caught:
        Remote(read=Web(pages).fetch).fetch(WANTED, limit=100)
    assert type(caught.value) is expected
    assert isinstance(caught.value, NotAcceptable) is (expected is not Unavailable)


def test_without_a_gateway_nobody_asks_ipfs() -> None:
    web = Web({})
    with pytest.raises(ContentNotFound, match="names nobody who may be asked"):
        Remote(read=web.fetch).fetch(Reference(hash=NAME, links=(IPFS, "urn:x")), limit=100)
    assert web.asked == []


def test_who_names_too_many_places_does_not_keep_us_busy() -> None:
    web = Web({})
    links = tuple(f"https://{number}.example" for number in range(1000))
    with pytest.raises(ContentNotFound):
        Remote(read=web.fetch).fetch(Reference(hash=NAME, links=links), limit=100)
    assert len(web.asked) == 16
