"""WebFinger (RFC 7033): where the things of a domain are, asked at one well-known place.

    /.well-known/webfinger?resource=https://orb.example.com/services/orb
    /.well-known/host-meta.json        how to ask, and where the service is (RFC 6415)

Pure; the domain's HTTP server answers with what is built here, and other domains' answers are read here.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

from penstock.did.activities.reading import Reader
from penstock.errors import BadActivity

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = [
    "ALTERNATE",
    "JRD_TYPE",
    "SELF",
    "SERVICE",
    "VCT",
    "VIA",
    "WEBFINGER",
    "Jrd",
    "JrdLink",
    "question_about",
]

#: Where a domain is asked.
WEBFINGER: Final = "/.well-known/webfinger"
#: The media type of an answer (RFC 7033 §10.2).
JRD_TYPE: Final = "application/jrd+json"

# Relations that domains use.
SELF: Final = "self"
ALTERNATE: Final = "alternate"
VIA: Final = "via"
SERVICE: Final = "service"
#: The ledger of a witness that keeps one.
VCT: Final = "vct"


def question_about(resource: str, domain: str) -> str:
    """The URL at which a domain, by its own URL, is asked what it knows of a resource."""
    return f"{domain}{WEBFINGER}?resource={quote(resource, safe='')}"


@dataclass(frozen=True, slots=True)
class JrdLink:
    """One relation."""

    rel: str
    href: str = ""
    type: str = ""
    #: A URL with {uri} in it, in host-meta only.
    template: str = ""

    def document(self) -> dict[str, str]:
        """As it is sent."""
        said = {"rel": self.rel, "type": self.type, "href": self.href, "template": self.template}
        return {name: value for name, value in said.items() if value}


@dataclass(frozen=True, slots=True, kw_only=True)
class Jrd:
    """An answer: what is known of a resource."""

    subject: str = ""
    links: Sequence[JrdLink] = ()
    properties: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def read(cls, data: bytes) -> Jrd:
        """Read another domain's answer.

        Raises:
            BadActivity: it is none.
        """
        document = Reader.of(data, "a WebFinger answer")
        links = tuple(
            JrdLink(
                rel=link.text("rel"),
                href=link.text("href", ""),
                type=link.text("type", ""),
                template=link.text("template", ""),
            )
            for link in document.readers("links")
        )
        return cls(
            subject=document.text("subject", ""),
            links=links,
            properties=document.mapping("properties", {}),
        )

    def document(self) -> dict[str, Any]:
        """As it is sent."""
        said: dict[str, Any] = {
            "subject": self.subject,
            "properties": dict(self.properties),
            "links": [link.document() for link in self.links],
        }
        return {name: value for name, value in said.items() if value}

    def href(self, rel: str, kind: str = "") -> str:
        """The first link of that relation, and of that type if one is told; empty if there is none."""
        found = (link for link in self.links if link.rel == rel and link.href)
        return next((link.href for link in found if kind in {"", link.type}), "")

    @property
    def target(self) -> str:
        """Where the resource itself is, or a copy of it.

        Raises:
            BadActivity: the answer does not say.
        """
        found = self.href(SELF) or self.href(ALTERNATE)
        if not found:
            raise BadActivity("no-target", "a WebFinger answer names neither the resource nor a copy of it")
        return found
