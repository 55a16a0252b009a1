"""Data URIs: the parts of a linkset carry their content in themselves (RFC 2397, in the two forms in use).

    data:application/gzip;base64,H4sI…      compressed
    data:application/json,%7B%22linkset…    percent-encoded, a space as +

Reading is bounded while inflating, not after. Writing is deterministic: the same content has the same URI on
every machine of one kind. Pure.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from typing import TYPE_CHECKING, Final
from urllib.parse import quote_plus, unquote_to_bytes

from isal import isal_zlib as zlib

from penstock.errors import BadDataUri
from penstock.sidetree.files.compression import compressed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["GZIP", "JSON", "KINDS", "content_of", "data_uri"]

GZIP: Final = "application/gzip;base64"
JSON: Final = "application/json"

SCHEME: Final = "data:"
#: zlib's word for gzip around a deflate stream of the largest window.
WITH_GZIP: Final = 16 + zlib.MAX_WBITS


def data_uri(content: bytes, kind: str = GZIP) -> str:
    """The content as a URI."""
    return f"{SCHEME}{kind},{_WRITERS[kind](content)}"


def content_of(uri: str, *, limit: int) -> bytes:
    """The content inside.

    Raises:
        BadDataUri: it is none of the two forms, or has more than `limit` bytes.
    """
    kind, comma, body = uri.removeprefix(SCHEME).partition(",")
    if not uri.startswith(SCHEME) or not comma:
        raise BadDataUri(f"no data URI: {uri[:60]!r}")
    if kind not in _READERS:
        raise BadDataUri(f"a data URI is of {' or of '.join(_READERS)}, not of {kind[:60]!r}")
    return _READERS[kind](body, limit)


def _gzipped(content: bytes) -> str:
    # As batch files are: zlib's 9 takes ten times as long for 1 % less.
    return b64encode(compressed(content)).decode()


def _gunzipped(body: str, limit: int) -> bytes:
    unpacker = zlib.decompressobj(wbits=WITH_GZIP)
    try:
        packed = b64decode(body, validate=True)
        content = unpacker.decompress(packed, limit + 1)
    except (ValueError, zlib.IsalError) as exc:  # type: ignore[misc] # its stubs take the class for an error
        raise BadDataUri(f"a data URI that is not gzip in base64: {exc}") from exc
    if len(content) > limit:
        raise BadDataUri(f"a data URI holds more than the {limit} bytes that are allowed")
    if not unpacker.eof or unpacker.unused_data:
        raise BadDataUri("a data URI holds not exactly one gzip stream")
    return content


def _escaped(content: bytes) -> str:
    return quote_plus(content)


def _unescaped(body: str, limit: int) -> bytes:
    # Three characters a byte at most.
    if len(body) > 3 * limit:
        raise BadDataUri(f"a data URI holds more than the {limit} bytes that are allowed")
    if not body.isascii():
        raise BadDataUri("a data URI has characters that must be escaped")
    content = unquote_to_bytes(body.replace("+", " "))
    if len(content) > limit:
        raise BadDataUri(f"a data URI holds more than the {limit} bytes that are allowed")
    return content


_WRITERS: Final[Mapping[str, Callable[[bytes], str]]] = {GZIP: _gzipped, JSON: _escaped}
_READERS: Final[Mapping[str, Callable[[str, int], bytes]]] = {GZIP: _gunzipped, JSON: _unescaped}

#: What `anchor-data-uri-media-type` may be.
KINDS: Final = tuple(_WRITERS)
