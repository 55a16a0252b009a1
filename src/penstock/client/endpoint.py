"""Where a server is and how its TLS is to be, which the URLs of all protocols say alike.

The parameters are those of https://www.rabbitmq.com/docs/uri-query-parameters. No error shows a password.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeAlias
from urllib.parse import parse_qsl, urlsplit

from penstock.errors import BadUrl

if TYPE_CHECKING:
    from urllib.parse import SplitResult

__all__ = ["TLS", "Endpoint", "Parameters", "one_of", "read_parameters", "shown", "split_url"]

#: By the parameter's name: the field it fills and how it is read, which may raise ValueError.
Parameters: TypeAlias = Mapping[str, tuple[str, Callable[[str], Any]]]


def one_of(*words: str) -> Callable[[str], str]:
    """Reads one of these words."""

    def read(text: str) -> str:
        if text.lower() not in words:
            raise ValueError(f"is one of {', '.join(words)}")
        return text.lower()

    return read


TLS: Final[Parameters] = {
    "cacertfile": ("ca_file", str),
    "certfile": ("certificate", str),
    "keyfile": ("key", str),
    "verify": ("verify", one_of("verify_peer", "verify_none")),
    "server_name_indication": ("server_name", str),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """One server."""

    host: str = "localhost"
    port: int = 0
    is_tls: bool = False
    #: Files in PEM: who is trusted, and who we are.
    ca_file: str | None = None
    certificate: str | None = None
    key: str | None = None
    verify: str = "verify_peer"
    server_name: str | None = None

    @property
    def address(self) -> str:
        """Host and port, as URLs have them."""
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


def split_url(
    text: str, what: str, schemes: Mapping[str, tuple[int, bool]]
) -> tuple[SplitResult, dict[str, Any]]:
    """The parts of a URL, and what they say of an endpoint.

    Args:
        text: The URL.
        what: Whose it is, for the errors' words: "a broker's URL".
        schemes: By scheme, the port and whether TLS is spoken.

    Raises:
        BadUrl: it is none.
    """
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError:
        # Python's own words quote what it stumbled over, which may be a piece of the password.
        raise BadUrl(
            f"{what} cannot be read: check its port, and write / # ? @ : in a password as %2F …"
        ) from None
    if parts.scheme not in schemes:
        known = " or ".join(f"{scheme}://" for scheme in schemes)
        raise BadUrl(f"{what} begins with {known}, not {parts.scheme or 'nothing'}")
    usual, is_tls = schemes[parts.scheme]
    return parts, {"host": parts.hostname or "localhost", "port": port or usual, "is_tls": is_tls}


def read_parameters(parts: SplitResult, what: str, known: Parameters) -> dict[str, Any]:
    """What stands behind the question mark.

    Raises:
        BadUrl: there is no such parameter, or it cannot be that.
    """
    found: dict[str, Any] = {}
    for name, text in parse_qsl(parts.query, keep_blank_values=True):
        if name not in known:
            raise BadUrl(f"{what} has no parameter {name}, only {', '.join(known)}: {shown(parts)}")
        into, read = known[name]
        try:
            found[into] = read(text)
        except ValueError as exc:
            raise BadUrl(f"{name} {exc}, not {text!r}: {shown(parts)}") from exc
    return found


def shown(parts: SplitResult) -> str:
    """A URL as far as it may be shown."""
    return f"{parts.scheme}://{parts.hostname or ''}{parts.path}"
