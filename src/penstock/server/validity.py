"""Validity: until when the certificates in a PEM file are good. Pure.

Python's `ssl` tells that only of a peer's certificate; so the few bytes of DER that lead there are read here
(RFC 5280 §4.1: TBSCertificate; X.690 §8.1: a tag, a length, contents).
"""

from __future__ import annotations

import re
import ssl
from datetime import UTC, datetime
from typing import Final, NamedTuple

__all__ = ["good_until"]

_PEM: Final = re.compile(r"-----BEGIN CERTIFICATE-----.+?-----END CERTIFICATE-----", re.DOTALL)
#: Tags: the version, which old certificates do not tell, and the two ways to write a time.
_VERSION: Final = 0xA0
_TIMES: Final = {0x17: "%y%m%d%H%M%S%z", 0x18: "%Y%m%d%H%M%S%z"}
#: A length beyond this is that many bytes longer itself.
_SHORT: Final = 0x80


def good_until(pem: str) -> list[float]:
    """Seconds since the epoch, for each certificate of a file.

    Raises:
        ValueError: one is none.
    """
    return [_end_of(ssl.PEM_cert_to_DER_cert(each)) for each in _PEM.findall(pem)]


class _Element(NamedTuple):
    tag: int
    contents: bytes
    #: What follows it.
    rest: bytes


def _element(der: bytes) -> _Element:
    try:
        tag, length, start = der[0], der[1], 2
        if length >= _SHORT:
            start += length - _SHORT
            length = int.from_bytes(der[2:start])
        return _Element(tag, der[start : start + length], der[start + length :])
    except IndexError:
        raise ValueError("a certificate breaks off") from None


def _end_of(der: bytes) -> float:
    fields = _element(_element(der).contents).contents
    if fields[:1] == bytes([_VERSION]):
        fields = _element(fields).rest
    for _ in ("serial number", "signature", "issuer"):
        fields = _element(fields).rest
    begin = _element(_element(fields).contents)
    end = _element(begin.rest)
    if end.tag not in _TIMES:
        raise ValueError("a certificate does not say until when it is good")
    return datetime.strptime(end.contents.decode("ascii"), _TIMES[end.tag]).astimezone(UTC).timestamp()
