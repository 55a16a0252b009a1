"""Anchor origins: texts that can be the URI of a domain, as far as can be told without asking anybody. Pure.

Whoever anchors a DID asks its origin for a proof. A text that nobody could be asked by would only show then,
long after it was accepted.
"""

from __future__ import annotations

import re
from functools import lru_cache
from ipaddress import IPv6Address
from typing import Final

__all__ = ["is_origin"]

#: Letters of a host (RFC 1035 §2.3.4).
LONGEST_HOST: Final = 253
HIGHEST_PORT: Final = 65_535

_LABEL: Final = "[0-9A-Za-z_](?:[0-9A-Za-z_-]{0,61}[0-9A-Za-z_])?"
_HOST: Final = rf"(?P<host>{_LABEL}(?:\.{_LABEL})*)|\[(?P<ipv6>[0-9A-Fa-f:.]+)\]"
#: RFC 3986 §3.3, with slashes.
_PATH: Final = r"(?:/(?:[0-9A-Za-z._~!$&'()*+,;=:@/-]|%[0-9A-Fa-f]{2})*)?"
#: How a domain is named: by its URL, by a name of IPNS, or by a DID (did:web, in later versions of Orb).
_ORIGIN: Final = re.compile(
    rf"https?://(?:{_HOST})(?::(?P<port>[0-9]{{1,5}}))?{_PATH}"
    rf"|ipns://{_LABEL}(?:\.{_LABEL})*{_PATH}"
    r"|did:[0-9a-z]+:(?:[0-9A-Za-z._:-]|%[0-9A-Fa-f]{2})+"
)


# Most DIDs of a domain name the same few, and the look takes five microseconds.
@lru_cache(maxsize=256)
def is_origin(text: str) -> bool:
    """Whether a text is the URI of a domain."""
    found = _ORIGIN.fullmatch(text)
    if found is None or len(found["host"] or "") > LONGEST_HOST:
        return False
    return int(found["port"] or 0) <= HIGHEST_PORT and _is_address(found["ipv6"])


def _is_address(text: str | None) -> bool:
    try:
        IPv6Address(text or "::")
    except ValueError:
        return False
    return True
