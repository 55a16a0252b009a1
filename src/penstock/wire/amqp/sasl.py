"""What a peer claims about itself: PLAIN, AMQPLAIN and EXTERNAL responses, both ways.

Splits and joins the words of a response. Whether a claim is true is not known here.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from penstock.wire.amqp.errors import Malformed
from penstock.wire.amqp.table import Table, decode_table, encode_table

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["MECHANISMS", "Claim", "amqplain_response", "external_response", "plain_response", "read_response"]


@dataclass(frozen=True, slots=True)
class Claim:
    """Who the client says it is. The password, or whatever a mechanism of yours sent, is in no repr."""

    mechanism: str
    #: None where the mechanism names nobody: EXTERNAL leaves that to the certificate.
    username: str | None
    password: str | None = field(default=None, repr=False)
    response: bytes = field(default=b"", repr=False)
    client_properties: Table = field(default_factory=dict)


def _read_plain(response: bytes) -> tuple[str | None, str | None]:
    """RFC 4616: authorization identity, user, password, with zeros between; the first is ignored."""
    parts = response.split(b"\0")
    if len(parts) != 3:
        raise Malformed("a PLAIN response is two zeros, a user and a password")
    return parts[1].decode(), parts[2].decode()


def _read_amqplain(response: bytes) -> tuple[str | None, str | None]:
    """A field table without its length, with LOGIN and PASSWORD."""
    table, _ = decode_table(len(response).to_bytes(4, "big") + response)
    username, password = table.get("LOGIN"), table.get("PASSWORD")
    if not isinstance(username, str) or not isinstance(password, str):
        raise Malformed("an AMQPLAIN response needs LOGIN and PASSWORD as text")
    return username, password


def _read_external(response: bytes) -> tuple[str | None, str | None]:
    """RFC 4422: an authorization identity, or nothing."""
    return response.decode() or None, None


_READERS: Final[dict[str, Callable[[bytes], tuple[str | None, str | None]]]] = {
    "PLAIN": _read_plain,
    "AMQPLAIN": _read_amqplain,
    "EXTERNAL": _read_external,
}
#: The mechanisms whose responses can be read here.
MECHANISMS: Final = tuple(_READERS)


def read_response(mechanism: str, response: bytes, client_properties: Table) -> Claim:
    """What a response claims; of a mechanism not known here, the bare response.

    Raises:
        Malformed: it is not what the mechanism says.
    """
    read = _READERS.get(mechanism)
    try:
        username, password = read(response) if read else (None, None)
    except UnicodeDecodeError as exc:
        raise Malformed(f"a {mechanism} response that is not UTF-8") from exc
    return Claim(mechanism, username, password, response, client_properties)


def plain_response(username: str, password: str) -> bytes:
    """A PLAIN response."""
    return f"\0{username}\0{password}".encode()


def amqplain_response(username: str, password: str) -> bytes:
    """An AMQPLAIN response."""
    return encode_table({"LOGIN": username, "PASSWORD": password})[4:]


def external_response(username: str = "") -> bytes:
    """An EXTERNAL response."""
    return username.encode()
