from __future__ import annotations

from dataclasses import replace

import pytest

from penstock.clock import VirtualClock
from penstock.did.activities.actor import KeyDocument, service
from penstock.did.activities.directory import Directory
from penstock.did.activities.peers import FAILED_FOR, Peers
from penstock.did.activities.signatures import Request, sign_request
from penstock.did.credentials import document_of
from penstock.did.credentials.keys import SigningKey
from penstock.did.http import HttpFetcher
from penstock.errors import BadActivity, BadHttpSignature, ContentNotFound, Unavailable
from penstock.sidetree.canonical import canonical
from tests.did.activities.helpers import AT, A, B

SIGNING = SigningKey.generate()
KEY = KeyDocument(name=f"{A}/keys/main-key", owner=A, key=SIGNING.public)
WELL_KNOWN = "https://a.example/.well-known/webfinger?resource=https%3A%2F%2Fa.example"
HOST_META = "https://a.example/.well-known/host-meta.json"
DIRECTORY = Directory(base="https://a.example", service=A, service_url=A, log="https://vct.example")


class Web:
    """What the domain A shows, and how often it was asked."""

    def __init__(self, **changed: bytes | Exception) -> None:
        jrd = DIRECTORY.answer("https://a.example")
        assert jrd is not None
        self.pages: dict[str, bytes | Exception] = {
            A: canonical(service(A, KEY)),
            KEY.name: canonical(KEY.document()),
            WELL_KNOWN: canonical(jrd.document()),
            HOST_META: canonical(DIRECTORY.host_meta().document()),
        }
        self.pages.update({{"service": A, "key": KEY.name}[name]: page for name, page in changed.items()})
        self.asked: list[str] = []

    def fetch(self, url: str, *, limit: int, accept: str) -> bytes:
        self.asked.append(url)
        found = self.pages.get(url, ContentNotFound(f"{url} answers 404"))
        if isinstance(found, Exception):
            raise found
        return found


def peers(web: Web) -> Peers:
    return Peers(web.fetch, VirtualClock(AT))


def request(key_id: str = KEY.name, key: SigningKey = SIGNING) -> Request:
    plain = Request(method="POST", target="/services/orb/inbox", body=b"{}")
    return replace(plain, headers=list(sign_request(plain, key, key_id=key_id, now=AT).items()))


def test_whose_request_it_is_is_found_by_its_key_and_known_from_then_on() -> None:
    web = Web()
    known = peers(web)
    assert not known.knows_signer_of(request())
    assert known.signer_of(request(), skew=60) == A
    assert known.knows_signer_of(request())
    assert known.signer_of(request(), skew=60) == A
    assert web.asked == [KEY.name, A]
    assert known.actor(A).places["inbox"] == f"{A}/inbox"


def test_for_a_request_that_names_no_key_nobody_is_asked() -> None:
    assert peers(Web()).knows_signer_of(Request(method="POST", target="/", body=b"{}"))
    assert peers(Web()).knows_signer_of(replace(request(), headers=[("Signature", "nonsense")]))


def test_a_ledger_is_found_by_webfinger() -> None:
    assert peers(Web()).log_of(A) == "https://vct.example"
    without = Web()
    without.pages[WELL_KNOWN] = b"{}"
    assert peers(without).log_of(A) == ""


def test_the_service_of_an_origin_is_itself_or_that_of_its_domain() -> None:
    web = Web()
    known = peers(web)
    assert known.service_of(A) == A
    assert known.service_of("did:web:a.example:services:orb") == "did:web:a.example:services:orb"
    assert web.asked == []
    for origin in ("https://a.example", "https://a.example/"):
        assert known.service_of(origin) == A
    assert web.asked == [HOST_META]


def naming(service: str) -> bytes:
    return canonical(replace(DIRECTORY, service_url=service).host_meta().document())


@pytest.mark.parametrize(
    ("page", "rule"),
    [
        (b"{}", "no-service"),
        (b"no JSON", "json"),
        (naming("https://a.example/" + "x" * 4000), "no-service"),
    ],
)
def test_a_domain_that_names_no_service_is_no_origin(page: bytes, rule: str) -> None:
    web = Web()
    web.pages[HOST_META] = page
    with pytest.raises(BadActivity) as caught:
        peers(web).service_of("https://a.example")
    assert caught.value.rule == rule


@pytest.mark.parametrize("path", ["x" * 4000, "\0"])
def test_no_service_has_a_name_that_no_actor_has(path: str) -> None:
    web = Web()
    with pytest.raises(BadActivity, match="such a name"):
        peers(web).service_of(f"https://a.example/{path}")
    assert web.asked == []


def test_who_did_not_answer_is_not_asked_again_for_a_while() -> None:
    web, clock = Web(), VirtualClock(AT)
    web.pages[WELL_KNOWN] = web.pages[HOST_META] = Unavailable("asleep")
    known = Peers(web.fetch, clock)
    for ask, page in ((known.log_of, WELL_KNOWN), (known.service_of, HOST_META)):
        for _ in range(3):
            with pytest.raises(Unavailable, match="asleep"):
                ask("https://a.example")
        assert web.asked.count(page) == 1
    clock.advance(FAILED_FOR)
    web.pages.update(Web().pages)
    assert known.log_of(A) == "https://vct.example"
    assert known.service_of("https://a.example") == A


# Orb's services may be named by a did:web

DID = "did:web:a.example:services:orb"
OWN = {"@context", "id", "verificationMethod"}
DID_KEY = KeyDocument(name=f"{DID}#key", owner=DID, key=SIGNING.public)


def named_by_did(**changed: bytes | Exception) -> Web:
    """A names its service by a did:web; the service tells its key's name alone, and no purpose of it."""
    shown = service(DID, DID_KEY, at=A) | {"publicKey": DID_KEY.name}
    document = {name: part for name, part in document_of(DID, {"key": SIGNING.public}).items() if name in OWN}
    web = Web()
    web.pages = {A: canonical(shown), f"{A}/did.json": canonical(document), WELL_KNOWN: web.pages[WELL_KNOWN]}
    web.pages.update(
        {{"service": A, "document": f"{A}/did.json"}[name]: page for name, page in changed.items()}
    )
    return web


def test_whose_request_it_is_is_found_in_the_document_of_a_did_web() -> None:
    web = named_by_did()
    known = peers(web)
    assert known.signer_of(request(DID_KEY.name), skew=60) == DID
    assert known.actor(DID).places["inbox"] == f"{A}/inbox"
    assert known.log_of(DID) == "https://vct.example"
    assert web.asked == [f"{A}/did.json", A, WELL_KNOWN]


@pytest.mark.parametrize(
    ("web", "key_id", "rule"),
    [
        (named_by_did(document=ContentNotFound("404")), DID_KEY.name, "key"),
        (named_by_did(document=b"[]"), DID_KEY.name, "key"),
        # The document is another's, or has no such key.
        (named_by_did(document=canonical(document_of("did:web:b.example", {}))), DID_KEY.name, "key"),
        (named_by_did(), f"{DID}#other", "key"),
        # The service tells another key, or is another.
        (named_by_did(service=canonical(service(DID, KEY, at=A))), DID_KEY.name, "owner"),
        (named_by_did(service=canonical(service(A, KEY))), DID_KEY.name, "key"),
        (named_by_did(), "did:web:a.example/x#key", "key"),
    ],
)
def test_a_key_of_a_did_web_that_is_not_its_services_is_refused(web: Web, key_id: str, rule: str) -> None:
    with pytest.raises(BadHttpSignature) as caught:
        peers(web).signer_of(request(key_id), skew=60)
    assert caught.value.rule == rule


def test_a_did_web_that_cannot_be_is_no_service() -> None:
    with pytest.raises(BadActivity) as caught:
        peers(Web()).actor("did:web:a.example::orb")
    assert caught.value.rule == "iri"


def test_a_request_of_another_key_is_refused() -> None:
    with pytest.raises(BadHttpSignature) as caught:
        peers(Web()).signer_of(request(key=SigningKey.generate()), skew=60)
    assert caught.value.rule == "signature"


@pytest.mark.parametrize("key_id", ["https://a..b/key", "https://[", f"https://{'a' * 64}.example/key"])
def test_a_key_at_no_url_is_nobodys(key_id: str) -> None:
    known = Peers(HttpFetcher().fetch, VirtualClock(AT))
    with pytest.raises(BadHttpSignature) as caught:
        known.signer_of(request(key_id), skew=60)
    assert caught.value.rule == "key"


@pytest.mark.parametrize("iri", ["https://[", "https://a..b", "ipns://k51", "", "no IRI"])
def test_a_text_that_is_no_service_keeps_no_ledger(iri: str) -> None:
    with pytest.raises(BadActivity):
        Peers(HttpFetcher().fetch, VirtualClock(AT)).log_of(iri)


LIAR = replace(KEY, owner=B)
ELSEWHERE = replace(KEY, name=f"{A}/keys/other")


@pytest.mark.parametrize(
    ("web", "rule"),
    [
        (Web(key=ContentNotFound("404")), "key"),
        (Web(key=b"no JSON"), "key"),
        (Web(service=ContentNotFound("404")), "key"),
        # Somebody says of a key that it is B's, who is not there to say so.
        (Web(key=canonical(LIAR.document())), "key"),
        # A shows another key as its own.
        (Web(service=canonical(service(A, ELSEWHERE))), "owner"),
        # What stands there is another key of A's.
        (Web(key=canonical(ELSEWHERE.document()), service=canonical(service(A, ELSEWHERE))), "key"),
    ],
)
def test_a_key_that_is_not_its_owners_is_refused_with_its_rule(web: Web, rule: str) -> None:
    with pytest.raises(BadHttpSignature) as caught:
        peers(web).signer_of(request(), skew=60)
    assert caught.value.rule == rule


def test_a_service_under_another_name_is_refused() -> None:
    with pytest.raises(BadActivity) as caught:
        peers(Web(service=canonical(service(B, KEY)))).actor(A)
    assert caught.value.rule == "id"
    with pytest.raises(BadActivity) as caught:
        peers(Web()).actor(B)
    assert caught.value.rule == "not-found"


def test_a_domain_that_is_away_leaves_it_open() -> None:
    for web in (Web(key=Unavailable("away")), Web(service=Unavailable("away"))):
        with pytest.raises(Unavailable):
            peers(web).signer_of(request(), skew=60)
