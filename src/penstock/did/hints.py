"""Services as hints: where they have contents, and their anchors. Pure."""

from __future__ import annotations

from penstock.did.credentials import domain_of

__all__ = ["hint_to", "url_of"]


def hint_to(iri: str) -> str:
    """A service as the hint before a resource hash: https:orb.example.com; empty if it tells no domain."""
    return url_of(iri).replace("://", ":", 1)


def url_of(iri: str) -> str:
    """The URL of a service's domain: https://orb.example.com; empty if it tells none."""
    scheme, host = iri.partition(":")[0], domain_of(iri)
    return f"{scheme if scheme in {'http', 'https'} else 'https'}://{host}" if host else ""
