"""How URIs may be written, as far as the rules of Sidetree's networks ask: patterns for whole texts. Pure."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["REFERENCES", "RELATIVE", "URI", "URIS_AND_PATHS", "WITH_HOST"]

#: What may stand in one without being escaped (RFC 3986 §2).
_PLAIN: Final = r"[^\x00-\x20\x7f<>\"{}|\\^`]"

#: What the libraries of others take in one where they escape for themselves.
_ANY: Final = r"[^\x00-\x1f\x7f]"
_SCHEME: Final = "[A-Za-z][A-Za-z0-9+.-]*:"

#: RFC 3986 §3: a scheme, and nothing that must be escaped.
URI: Final = re.compile(rf"{_SCHEME}{_PLAIN}+")

#: The same without a scheme, and then no colon in its first part (RFC 3986 §4.2), as Go's url.Parse takes it.
RELATIVE: Final = re.compile(rf"(?![^/?#]*:){_ANY}+")

#: Before a pattern: nothing that is http without a host.
WITH_HOST: Final = r"(?!https?://(?:[/?#]|\Z))"

#: The endpoints of services that Orb takes, as Go's url.ParseRequestURI does: URIs, and paths.
URIS_AND_PATHS: Final = re.compile(
    rf"{URI.pattern}|{_SCHEME}(?!//){_ANY}*|{_SCHEME}//(?:(?![/?]){_PLAIN})*(?:[/?]{_ANY}*)?|/{_ANY}*"
)

#: Those that ION and sidetree.js take, as uri-js does: names without a scheme too, no http without a host.
REFERENCES: Final = re.compile(rf"{WITH_HOST}{_ANY}+")
