"""An anchor's way through a federation, told with the parts alone: two domains that meet over real HTTP."""

from __future__ import annotations

import threading
from contextlib import ExitStack
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from random import Random
from typing import TYPE_CHECKING, Any, Self

import pytest

from penstock.clock import VirtualClock
from penstock.did.activities import (
    PUBLIC,
    Activity,
    AnchorEvent,
    Directory,
    KeyDocument,
    Offer,
    Peers,
    Receipt,
    Request,
    accept_offer,
    create,
    created,
    offer,
    service,
    sign_request,
)
from penstock.did.anchors import Anchor, Payload, Previous, build, with_credential
from penstock.did.cas import ContentStorage, HashLink, Remote, StoredContents
from penstock.did.credentials import (
    ED25519,
    P_256,
    FetchedKeys,
    SigningKey,
    anchor_credential,
    check,
    check_proof,
    did_web,
    document_of,
    is_timely,
    sign,
    with_proofs,
)
from penstock.did.http import HttpFetcher
from penstock.did.witnesses import SYSTEM, Witness, parse_policy, select
from penstock.errors import BadCredential, ContentForged
from penstock.sidetree.base64url import encode
from penstock.sidetree.canonical import canonical
from penstock.sidetree.multihash import multihash

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

NOW = 1_700_000_000.0
SUFFIX = encode(multihash(b"a DID"))


class Domain:
    """What a domain shows to others: pages, and contents by their hash."""

    def __init__(self, folder: Path, kind: str, clock: VirtualClock) -> None:
        self.pages: dict[str, bytes] = {}
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})
        host = f"127.0.0.1:{self._server.server_port}"
        self.base = f"http://{host}"
        self.iri = f"{self.base}/services/orb"
        self.key = SigningKey.generate(kind)
        self.method = f"{did_web(host)}#main"
        self.clock = clock
        fetcher = HttpFetcher(may_ask=lambda url: url.startswith("http://127.0.0.1:"))
        self.cas = ContentStorage(
            StoredContents(str(folder)), links_at=f"{self.base}/cas", remote=Remote(read=fetcher.fetch)
        )
        self.keys = FetchedKeys(fetcher.fetch, clock, scheme="http")
        self.peers = Peers(fetcher.fetch, clock)
        self._show(host)

    def _show(self, host: str) -> None:
        key = KeyDocument(name=f"{self.iri}/keys/main-key", owner=self.iri, key=self.key.public)
        self.key_id = key.name
        directory = Directory(base=self.base, service=self.iri, service_url=self.iri)
        jrd = directory.answer(self.base)
        assert jrd is not None
        documents: dict[str, Any] = {
            "/services/orb": service(self.iri, key),
            "/services/orb/keys/main-key": key.document(),
            "/.well-known/did.json": document_of(did_web(host), {"main": self.key.public}),
            "/.well-known/webfinger": jrd.document(),
        }
        self.pages.update({path: canonical(document) for path, document in documents.items()})

    def _handler(domain) -> type[BaseHTTPRequestHandler]:  # noqa: N805  self is the handler's
        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                path = self.path.partition("?")[0]
                body = domain.pages.get(path)
                if body is None and path.startswith("/cas/") and domain.cas.has(path[5:]):
                    body = domain.cas.get(path[5:])
                self.send_response(200 if body is not None else 404)
                self.send_header("Content-Length", str(len(body or b"")))
                self.end_headers()
                self.wfile.write(body or b"")

            def log_message(self, *arguments: object) -> None:
                """Not here."""

        return Handler

    def post(self, activity: dict[str, Any]) -> Request:
        """As it arrives in another's inbox."""
        request = Request(method="POST", target="/services/orb/inbox", body=canonical(activity))
        signed = sign_request(request, self.key, key_id=self.key_id, now=self.clock.now())
        return replace(request, headers=list(signed.items()))

    def receive(self, request: Request) -> Activity:
        """Whoever sent it is whoever acts."""
        activity = Activity.parse(request.body)
        assert self.peers.signer_of(request, skew=60) == activity.actor
        return activity

    def proof(self, credential: Any) -> dict[str, Any]:
        return sign(credential, self.key, method=self.method, at=self.clock.now(), domain=self.base)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


@pytest.fixture
def domains(tmp_path: Path) -> Iterator[tuple[Domain, Domain]]:
    clock = VirtualClock(NOW)
    with ExitStack() as stack:
        yield (
            stack.enter_context(Domain(tmp_path / "a", ED25519, clock)),
            stack.enter_context(Domain(tmp_path / "b", P_256, clock)),
        )


def anchored(author: Domain, core_index: HashLink) -> dict[str, Any]:
    """The author's linkset, signed by the author alone."""

    def credential(anchor: str, index: str) -> dict[str, Any]:
        plain = anchor_credential(
            name=f"{author.base}/vc/1", issuer=author.base, at=NOW, anchor=anchor, core_index=index
        )
        return with_proofs(plain, [author.proof(plain)])

    payload = Payload(core_index=str(core_index), previous=[Previous(SUFFIX)], origin=author.iri)
    return build(payload, credential)


def test_an_anchor_is_offered_witnessed_published_and_observed(domains: tuple[Domain, Domain]) -> None:
    author, other = domains
    # Given a batch whose anchor needs the other domain's proof.
    linkset = anchored(author, author.cas.put(b"a core index file"))
    policy = parse_policy("OutOf(1,system)")
    witness = Witness(iri=other.iri, role=SYSTEM, has_log=bool(author.peers.log_of(other.iri)))
    assert select(policy, [witness], chance=Random(1)) == [other.iri]
    assert not policy.is_met([witness])

    # When the author offers it, and the witness looks at it and signs.
    sent = offer(
        name=f"{author.iri}/1", actor=author.iri, to=[other.iri], linkset=linkset, at=NOW, ends_at=NOW + 600
    )
    offered = Offer.of(other.receive(author.post(sent)))
    seen = Anchor.read(offered.linkset)
    check(seen.credential.document, other.keys)
    answer = accept_offer(
        offered,
        name=f"{other.iri}/1",
        actor=other.iri,
        anchor=seen.uri,
        proof=other.proof(seen.credential.document),
        at=NOW,
        ends_at=NOW + 600,
    )
    receipt = Receipt.of(author.receive(other.post(answer)))

    # Then the policy is met, and the author publishes the anchor with both proofs.
    credential = Anchor.read(linkset).credential
    assert receipt.anchor == seen.uri
    check_proof(credential.document, receipt.proof, author.keys)
    assert is_timely(receipt.proof, issued_at=credential.issued_at, ends_at=offered.ends_at, skew=60)
    assert policy.is_met([replace(witness, has_proof=True)])
    proved = with_proofs(credential.document, [receipt.proof], contexts=receipt.contexts)
    linkset = with_credential(linkset, proved)
    link = author.cas.put(canonical(linkset))
    event = AnchorEvent(url=link, linkset=linkset)
    told = create(name=f"{author.iri}/2", actor=author.iri, to=[PUBLIC], event=event, at=NOW)

    # And the other domain observes it: the linkset and the files come from wherever they are.
    read = other.cas.read(str(created(other.receive(author.post(told))).url))
    anchor = Anchor.parse(read.data)
    check(anchor.credential.document, other.keys)
    assert len(anchor.credential.document["proof"]) == 2
    assert (anchor.uri, anchor.hash, anchor.author) == (seen.uri, link.hash, author.iri)
    assert anchor.payload.previous == (Previous(SUFFIX),)
    assert other.cas.get(anchor.payload.core_index) == b"a core index file"
    assert read.fetched == HashLink.to(link.hash, [f"{other.base}/cas/{link.hash}"])


def test_a_storage_that_lies_is_found_out(domains: tuple[Domain, Domain]) -> None:
    author, other = domains
    link = author.cas.put(b"a core index file")
    author.pages[f"/cas/{link.hash}"] = b"another core index file"
    with pytest.raises(ContentForged):
        other.cas.get(str(link))
    assert not other.cas.has(link.hash)


def test_a_proof_in_anothers_name_is_found_out(domains: tuple[Domain, Domain]) -> None:
    author, other = domains
    linkset = anchored(author, author.cas.put(b"a core index file"))
    credential = Anchor.read(linkset).credential.document
    forged = {**author.proof(credential), "verificationMethod": other.method}
    with pytest.raises(BadCredential):
        check(with_proofs(credential, [forged]), author.keys)
