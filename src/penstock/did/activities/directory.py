"""What a domain answers to WebFinger: which things it has, and where. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from penstock.did.activities.webfinger import (
    ALTERNATE,
    JRD_TYPE,
    SELF,
    SERVICE,
    VCT,
    VIA,
    WEBFINGER,
    Jrd,
    JrdLink,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

__all__ = ["Directory"]

DID_TYPE: Final = "application/did+ld+json"
LD_TYPE: Final = "application/ld+json"
SERVICE_TYPE: Final = "application/activity+json"

MIN_RESOLVERS: Final = "https://trustbloc.dev/ns/min-resolvers"
ANCHOR_ORIGIN: Final = "https://trustbloc.dev/ns/anchor-origin"
LEDGER_TYPE: Final = "https://trustbloc.dev/ns/ledger-type"
#: What a ledger of this kind is called.
VCT_LEDGER: Final = "vct-v1"

RESOLUTION: Final = "/sidetree/v1/identifiers"
OPERATIONS: Final = "/sidetree/v1/operations"
CAS: Final = "/cas"
#: Where a service is, as Orb has it.
SERVICE_PATH: Final = "/services/orb"
HOST_META: Final = "/.well-known/host-meta.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Directory:
    """The things of a domain."""

    #: The domain's URL: https://orb.example.com
    base: str
    #: The IRI of its service, and the URL of that.
    service: str
    service_url: str
    #: URLs of other domains that resolve the same DIDs.
    others: Sequence[str] = ()
    #: How many of them a careful client asks.
    min_resolvers: int = 1
    #: The URL of this domain's ledger, if it keeps one.
    log: str = ""

    def answer(self, resource: str, *, has_content: bool = False, copies: Sequence[str] = ()) -> Jrd | None:
        """What is known of a resource; None if it is none of this domain's.

        Args:
            resource: As it was asked for.
            has_content: For a resource of the storage, whether it is there: the caller looks.
            copies: And URLs of others' copies.
        """
        if resource in {self.base, self.service, self.service_url}:
            return self._domain(resource)
        if resource == self.base + RESOLUTION:
            return self._endpoint(resource, RESOLUTION, {MIN_RESOLVERS: self.min_resolvers})
        if resource == self.base + OPERATIONS:
            return self._endpoint(resource, OPERATIONS, {})
        if resource.startswith(f"{self.base}{CAS}/") and has_content:
            found = (*(other + resource.removeprefix(self.base) for other in self.others), *copies)
            return Jrd(
                subject=resource, links=(JrdLink(SELF, resource, LD_TYPE), *_alternates(found, LD_TYPE))
            )
        return None

    def content_name(self, resource: str) -> str:
        """The resource hash that is asked for; empty if the resource is none of the storage."""
        prefix = f"{self.base}{CAS}/"
        return resource.removeprefix(prefix) if resource.startswith(prefix) else ""

    def endpoints(self) -> dict[str, str]:
        """Where operations are posted and DIDs are resolved: what clients of did:orb ask for first."""
        return {"resolutionEndpoint": self.base + RESOLUTION, "operationEndpoint": self.base + OPERATIONS}

    def host_meta(self) -> Jrd:
        """How to ask this domain, and which service is its own.

        A domain of Orb looks here before it sends anything: to the origin of a DID, or to a service.
        """
        return Jrd(
            links=(
                JrdLink(SELF, type=JRD_TYPE, template=f"{self.base}{WEBFINGER}?resource={{uri}}"),
                JrdLink(SELF, self.service_url, SERVICE_TYPE),
            )
        )

    def did(self, did: str, *, anchor: str, origin: str, domains: Sequence[str] = ()) -> Jrd:
        """What is known of a DID.

        Args:
            did: In its canonical form.
            anchor: The hashlink of its last anchor.
            origin: Who anchors its operations.
            domains: URLs of others that have observed this anchor, too.
        """
        path = f"{RESOLUTION}/{did}"
        others = (domain + path for domain in (*self.others, *domains) if domain != self.base)
        return Jrd(
            subject=did,
            properties={ANCHOR_ORIGIN: origin, MIN_RESOLVERS: self.min_resolvers},
            links=(
                JrdLink(SELF, self.base + path, DID_TYPE),
                JrdLink(VIA, anchor, LD_TYPE),
                JrdLink(SERVICE, self.service_url, SERVICE_TYPE),
                *_alternates(others, DID_TYPE),
            ),
        )

    def _domain(self, resource: str) -> Jrd:
        links = [JrdLink(SELF, self.service_url, SERVICE_TYPE)]
        if not self.log:
            return Jrd(subject=resource, links=links)
        links.append(JrdLink(VCT, self.log, JRD_TYPE))
        return Jrd(subject=resource, links=links, properties={LEDGER_TYPE: VCT_LEDGER})

    def _endpoint(self, resource: str, path: str, properties: Mapping[str, Any]) -> Jrd:
        links = (JrdLink(SELF, resource), *_alternates((other + path for other in self.others), ""))
        return Jrd(subject=resource, properties=properties, links=links)


def _alternates(places: Iterable[str], kind: str) -> list[JrdLink]:
    return [JrdLink(ALTERNATE, place, kind) for place in dict.fromkeys(places)]
