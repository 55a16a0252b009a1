"""Other domains' services and keys, fetched when needed: whose request this is, and where their inbox is.

A service is named by the URL at which it stands. Orb's may be named by a did:web of the same path instead, in
whose document its keys are.

How a URL is read is a port, so this file knows no network.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from penstock.did.activities.activity import LONGEST_NAME
from penstock.did.activities.actor import Actor, KeyDocument, owner_of
from penstock.did.activities.directory import DID_TYPE, HOST_META, SERVICE_TYPE
from penstock.did.activities.names import ACTIVITY_TYPE
from penstock.did.activities.reading import Reader
from penstock.did.activities.signature_header import SignatureHeader
from penstock.did.activities.signatures import verify_request
from penstock.did.activities.webfinger import JRD_TYPE, SELF, VCT, Jrd, question_about
from penstock.did.credentials.methods import DID_WEB, document_url, host_of, key_in
from penstock.did.kept import Kept
from penstock.errors import BadActivity, BadCredential, BadHttpSignature, ContentNotFound, ContentTooLarge

if TYPE_CHECKING:
    from penstock.clock import Clock
    from penstock.did.activities.signatures import Request
    from penstock.did.credentials.keys import PublicKey
    from penstock.did.http.port import Fetch

__all__ = ["Peers"]

#: Bytes of any of their documents.
LIMIT: Final = 256 * 1024
#: Seconds that they are believed without asking again.
KEPT_FOR: Final = 300.0
#: Where the document of a did:web with a path is, behind that (did:web method, §2.5.2).
DID_DOCUMENT: Final = "/did.json"
#: Seconds that a domain which did not tell of its ledger or its service is not asked again: each question may
#: take ten, and whoever anchors asks for every batch.
FAILED_FOR: Final = 30.0


class Peers:
    """The domains that this one has to do with."""

    def __init__(
        self, fetch: Fetch, clock: Clock, *, kept_for: float = KEPT_FOR, scheme: str = "https"
    ) -> None:
        """Nothing is fetched yet.

        Args:
            fetch: `HttpFetcher().fetch`, or one like it.
            clock: What tells the time.
            kept_for: Seconds that a document is believed.
            scheme: How who is named by a did:web is reached; http only among domains of one machine.
        """
        self._fetch = fetch
        self._clock = clock
        self._scheme = scheme
        self._actors = Kept(self._fetched_actor, clock, seconds=kept_for)
        self._keys = Kept(self._fetched_key, clock, seconds=kept_for)
        self._logs = Kept(self._fetched_log, clock, seconds=kept_for, failed_seconds=FAILED_FOR)
        self._services = Kept(self._fetched_service, clock, seconds=kept_for, failed_seconds=FAILED_FOR)

    def actor(self, iri: str) -> Actor:
        """A service.

        Raises:
            BadActivity: there is none.
            Unavailable: it cannot be fetched now.
        """
        return self._actors.get(iri)

    def signer_of(self, request: Request, *, skew: float) -> str:
        """Whose service sent a request.

        Raises:
            BadHttpSignature: nobody's, or not all of it is signed; `rule` says why.
            Unavailable: the key cannot be fetched now.
        """
        key_id = verify_request(request, self._public_key, now=self._clock.now(), skew=skew)
        return self._keys.get(key_id).owner

    def knows_signer_of(self, request: Request) -> bool:
        """Whether `signer_of` needs nobody's answer for that: the key is here, or the request names none."""
        try:
            return self._keys.has(SignatureHeader.parse(request.header("signature") or "").key_id)
        except BadHttpSignature:
            return True

    def log_of(self, iri: str) -> str:
        """The URL of the ledger that a service keeps; empty if it keeps none.

        Raises:
            BadActivity: its domain does not answer as it should.
            Unavailable: it cannot be asked now.
        """
        return self._logs.get(self._domain_of(iri))

    def service_of(self, origin: str) -> str:
        """The service that anchors the DIDs of an origin: itself, or that of the domain that it is.

        Raises:
            BadActivity: it is no origin, or its domain does not name its service.
            Unavailable: it cannot be asked now.
        """
        domain = self._domain_of(origin)
        service = self._services.get(domain) if origin.rstrip("/") == domain else origin
        # A witness is kept by its name. PostgreSQL has no key of thousands of letters, no text with U+0000:
        # the batch would wait. Origins that other domains have taken are looked at nowhere before this.
        if len(service) > LONGEST_NAME or not service.isprintable():
            raise BadActivity("no-service", f"{service[:120]!r} is no service: no actor has such a name")
        return service

    def _domain_of(self, iri: str) -> str:
        if host := host_of(iri):
            return f"{self._scheme}://{host}"
        try:
            parts = urlsplit(iri)
        except ValueError as exc:
            raise BadActivity("iri", f"{iri[:120]!r} is no service: {exc}") from exc
        return f"{parts.scheme}://{parts.netloc}"

    def _public_key(self, key_id: str) -> PublicKey:
        return self._keys.get(key_id).key

    def _fetched_key(self, key_id: str) -> KeyDocument:
        """A key whose owner says that it is theirs."""
        try:
            key = self._named_key(key_id)
            owner_of(key, self.actor(key.owner))
        except (BadActivity, BadCredential) as exc:
            raise BadHttpSignature("key", f"{key_id[:120]!r} is no key of a service: {exc}") from exc
        if key.name != key_id:
            raise BadHttpSignature("key", f"{key_id[:120]!r} is the key {key.name[:120]!r}")
        return key

    def _named_key(self, key_id: str) -> KeyDocument:
        if not key_id.startswith(DID_WEB):
            return KeyDocument.parse(self._document(key_id, ACTIVITY_TYPE))
        url = document_url(key_id, scheme=self._scheme)
        document = Reader.of(self._document(url, DID_TYPE), "the document of a service").document
        # For no purpose: Orb's name none there, and whose key it is, the service itself says once more.
        key = key_in(document, key_id, purpose="")
        return KeyDocument(name=key_id, owner=key_id.partition("#")[0], key=key)

    def _fetched_actor(self, iri: str) -> Actor:
        actor = Actor.parse(self._document(self._url_of(iri), ACTIVITY_TYPE))
        if actor.name != iri:
            raise BadActivity("id", f"{iri[:120]!r} is the service {actor.name[:120]!r}")
        return actor

    def _url_of(self, service: str) -> str:
        if not service.startswith(DID_WEB):
            return service
        try:
            return document_url(service, scheme=self._scheme).removesuffix(DID_DOCUMENT)
        except BadCredential as exc:
            raise BadActivity("iri", f"{service[:120]!r} is no service: {exc}") from exc

    def _fetched_service(self, domain: str) -> str:
        found = Jrd.read(self._document(domain + HOST_META, JRD_TYPE)).href(SELF, SERVICE_TYPE)
        if not found:
            raise BadActivity("no-service", f"{domain[:120]!r} does not name its service")
        return found

    def _fetched_log(self, domain: str) -> str:
        return Jrd.read(self._document(question_about(domain, domain), JRD_TYPE)).href(VCT)

    def _document(self, url: str, accept: str) -> bytes:
        try:
            return self._fetch(url, limit=LIMIT, accept=accept)
        except (ContentNotFound, ContentTooLarge) as exc:
            raise BadActivity("not-found", str(exc)) from exc
