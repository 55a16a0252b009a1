"""Services as hints: where they have contents, and their anchors. Pure."""

from __future__ import annotations

from penstock.did.credentials import domain_of

__all__ = ["hint_to", "where"]


def hint_to(iri: str) -> str:
    """A service as the hint before a resource hash: https:orb.example.com; empty if it tells no domain."""
    scheme, host = where(iri)
    return f"{scheme}:{host}" if host else ""


def where(iri: str) -> tuple[str, str]:
    """How a service's domain is reached, and its host, which is empty if it tells none."""
    scheme = iri.partition(":")[0]
    return (scheme if scheme in {"http", "https"} else "https"), domain_of(iri)
