"""How URIs may be written, as far as the rules of Sidetree's networks ask: patterns for whole texts. Pure."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["REFERENCES", "URI", "USUAL"]

#: What may stand in one without being escaped (RFC 3986 §2).
_PLAIN: Final = r"[^\x00-\x20\x7f<>\"{}|\\^`]"
#: The same, with nothing that is escaped.
_LETTER: Final = r"[^\x00-\x20\x7f<>\"{}|\\^`%]"
_SCHEME: Final = "[A-Za-z][A-Za-z0-9+.-]*:"

#: RFC 3986 §3: a scheme, and nothing that must be escaped.
URI: Final = re.compile(rf"{_SCHEME}{_PLAIN}+")

# Nodes of ION and sidetree.js ask uri-js, a library of Node, which takes any text but for what some schemes
# ask. A batch falls with one endpoint, so it is asked here as it is there. Nothing is tried twice (`?+`).
_USER: Final = r"(?:[^/?#@]*@)?+"
_AUTHORITY: Final = rf"(?://{_USER}(?:\[[^/?#\]]+\]|[^/?#:]*)(?::[0-9]*)?+)?+"
_UUID: Final = r"[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}(?=[?#]|\Z)"
_MAILBOXES: Final = r"[^,@?#]*@[^,?#]*(?:,[^,@?#]*@[^,?#]*)*"
_COPIES: Final = r"to=[^,@&#=]*@[^,&#=]*(?:,[^,@&#=]*@[^,&#=]*)*(?:=[^&#]*)?"
_FIELD: Final = rf"(?:(?!to(?:[=&#]|\Z))[^&#]*|{_COPIES})"

# No http without a host, no urn without a namespace, no urn:uuid and no mailto without one.
_WELL_MADE: Final = (
    rf"(?!(?i:https?):(?!//{_USER}[^/?#:]))"
    rf"(?!(?i:urn):{_AUTHORITY}(?![^:?#]+:))"
    rf"(?!(?i:urn):{_AUTHORITY}(?i:uuid):(?!{_UUID}))"
    rf"(?!(?i:mailto):{_AUTHORITY}(?!(?:{_MAILBOXES})?(?:\?{_FIELD}(?:&{_FIELD})*)?(?:#|\Z)))"
)

#: What all of them take at one look, and Go's nodes too: they ask what stands behind a %, and about hosts.
USUAL: Final = (
    rf"https?://[A-Za-z0-9.-]+(?::[0-9]+)?(?:[/?]{_LETTER}*)?"
    rf"|(?!(?i:https?|urn|mailto):){_SCHEME}(?!/){_PLAIN}+"
)

#: The endpoints of services that ION and sidetree.js take.
REFERENCES: Final = re.compile(rf"{_WELL_MADE}.*", re.DOTALL)
