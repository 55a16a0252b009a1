"""Node info (nodeinfo.diaspora.software): what software a domain runs, and how much it does. Pure."""

from __future__ import annotations

from typing import Any, Final

from penstock.did.activities.webfinger import Jrd, JrdLink

__all__ = ["VERSIONS", "media_type", "node_info", "well_known"]

VERSIONS: Final = ("2.0", "2.1")

SCHEMA: Final = "http://nodeinfo.diaspora.software/ns/schema/{version}"
#: Version 2.1 tells where the source is, 2.0 has no room for it.
TELLS_SOURCE: Final = "2.1"


def well_known(base: str) -> dict[str, Any]:
    """What stands at /.well-known/nodeinfo of a domain."""
    links = [JrdLink(SCHEMA.format(version=version), f"{base}/nodeinfo/{version}") for version in VERSIONS]
    return Jrd(links=links).document()


def media_type(version: str) -> str:
    """Of the document."""
    return f'application/json; profile="{SCHEMA.format(version=version)}#"'


def node_info(version: str, *, release: str, source: str, posts: int, comments: int) -> dict[str, Any]:
    """What stands at /nodeinfo/`version`.

    Args:
        version: One of VERSIONS.
        release: The version of Penstock.
        source: Where it comes from.
        posts: Create activities of this domain.
        comments: Like activities of this domain.
    """
    software = {"name": "penstock", "version": release}
    return {
        "version": version,
        "software": {**software, "repository": source} if version == TELLS_SOURCE else software,
        "protocols": ["activitypub"],
        "services": {"inbound": [], "outbound": []},
        "openRegistrations": False,
        "usage": {"users": {"total": 1}, "localPosts": posts, "localComments": comments},
        "metadata": {},
    }
