"""URIs as Go's net/url reads and writes them, which is how Orb's nodes do. Pure.

They ask it about the endpoints of services and about other names of a DID's subject, and throw away the whole
batch for one that it finds an error in. So it is asked here as it is there.
"""

from __future__ import annotations

import re
from string import ascii_letters, digits
from typing import Final

__all__ = ["ENDPOINTS", "NAMES", "rewritten"]

_SCHEME: Final = "[A-Za-z][A-Za-z0-9+.-]*:"
_ESCAPED: Final = "%[0-9A-Fa-f]{2}"

# Behind a % a host has no ASCII letter, but in brackets behind %25 (RFC 6874), where it has no other.
_LETTER: Final = r"[^\x00-\x20\x7f#%/:?@\\^`{|}]"
_BEYOND: Final = "%[89A-Fa-f][0-9A-Fa-f]"
_IN_ZONE: Final = "%(?:2[0-24-9A-Ea-e]|3[0-9A-Ea-e]|[46][1-9A-Fa-f]|5[0-9ABDFabdf]|7[0-9AEae])"
_USER: Final = rf"(?:(?:[A-Za-z0-9._:~!$&'()*+,;=@-]|{_ESCAPED})*@)?+"
_IN_NAME: Final = rf"(?:{_LETTER}|%25|{_BEYOND})*+"
_NAMED: Final = rf"(?!\[)(?:(?:{_IN_NAME}:)+[0-9]*|{_IN_NAME})"
_BRACKETED: Final = rf"\[(?:{_LETTER}|:|{_BEYOND})*(?:%25(?:{_LETTER}|:|{_IN_ZONE})*)?\](?::[0-9]*)?"
_AUTHORITY: Final = rf"(?:{_USER}(?:{_BRACKETED}|{_NAMED}))"

# Without a fragment, # is a letter as any other.
_ANY: Final = r"[^\x00-\x1f\x7f]"
_PATH: Final = rf"(?:[^\x00-\x1f\x7f%?]|{_ESCAPED})*"
_QUERY: Final = rf"(?:\?{_ANY}*)?"

#: What `url.ParseRequestURI` takes: URIs, and paths.
ENDPOINTS: Final = re.compile(
    rf"\*|{_SCHEME}(?!/){_ANY}*|(?:{_SCHEME}/(?!/)|/){_PATH}{_QUERY}"
    rf"|{_SCHEME}//{_AUTHORITY}(?:/{_PATH})?{_QUERY}"
)

_HERE: Final = r"[^\x00-\x1f\x7f#]"
_PATH_HERE: Final = rf"(?:[^\x00-\x1f\x7f#%?]|{_ESCAPED})*"
_END: Final = r"(?=[/?#]|\Z)"

#: What `url.Parse` takes: these, with fragments, and what leads to one from elsewhere (RFC 3986 §4.2).
NAMES: Final = re.compile(
    rf"(?:(?P<scheme>{_SCHEME})(?:(?P<opaque>(?!/){_HERE}*)|//(?P<host>{_AUTHORITY}){_END}|(?=/(?!/)))"
    rf"|(?!///)//(?P<network>{_AUTHORITY}){_END}|(?!//(?!/))(?![^/?#]*:))"
    rf"(?P<path>{_PATH_HERE})(?P<query>\?{_HERE}*)?(?:#(?P<fragment>(?:[^%]|{_ESCAPED})*))?"
)

_BYTE: Final = re.compile(rb"%([0-9A-Fa-f]{2})")
_UNRESERVED: Final = ascii_letters + digits

# What it leaves as it is, by the part, when it escapes; and in what it does not look for more to escape.
_KEPT_IN_USER: Final = "-_.~$&+,;="
_KEPT_IN_HOST: Final = "-_.~!$&'()*+,;=:[]<>\""
_KEPT_IN_PATH: Final = "-_.~$&+,/:;=@"
_KEPT_IN_FRAGMENT: Final = "-_.~$&+,/:;=?@!()*"
_PLAIN_PATH: Final = re.compile(r"[A-Za-z0-9._~$&+,/:;=@!'()*\[\]%-]*")
_PLAIN_FRAGMENT: Final = re.compile(r"[A-Za-z0-9._~$&+,/:;=?@!'()*\[\]%-]*")


def rewritten(text: str) -> str:
    """One of `NAMES` as Go writes it again: two that it writes alike are the same to it."""
    found = NAMES.fullmatch(text)
    if found is None:
        raise ValueError(f"no URI: {text[:60]!r}")
    scheme = (found["scheme"] or "").lower()
    path = "*" if found["path"] == "%2A" else _escaped(found["path"], _PLAIN_PATH, _KEPT_IN_PATH)
    host = found["network"] if found["host"] is None else found["host"]
    before = _host(host) if host or (host is not None and path) else ""
    if found["opaque"] is not None:
        path = found["opaque"]
    elif not scheme and not before and ":" in path.partition("/")[0]:
        path = f"./{path}"
    fragment = _escaped(found["fragment"] or "", _PLAIN_FRAGMENT, _KEPT_IN_FRAGMENT)
    return f"{scheme}{before}{path}{found['query'] or ''}{'#' if fragment else ''}{fragment}"


def _host(authority: str) -> str:
    user, sign, host = authority.rpartition("@")
    name, colon, password = user.partition(":")
    told = "".join((_again(name, _KEPT_IN_USER), colon, _again(password, _KEPT_IN_USER), sign))
    return f"//{told}{_again(host, _KEPT_IN_HOST)}"


def _escaped(part: str, plain: re.Pattern[str], kept: str) -> str:
    """A part as it is, if there is nothing in it that must be escaped; else all of it anew."""
    if plain.fullmatch(part):
        return part
    return _again(part, kept)


def _again(part: str, kept: str) -> str:
    meant = _BYTE.sub(lambda escaped: bytes.fromhex(escaped[1].decode()), part.encode())
    plain = frozenset((_UNRESERVED + kept).encode())
    return "".join(chr(byte) if byte in plain else f"%{byte:02X}" for byte in meant)
