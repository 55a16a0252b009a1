"""A broker's URL, read: amqp://user:password@host:port/vhost?parameters.

The parameters are those of https://www.rabbitmq.com/docs/uri-query-parameters. The password never
appears in a repr, a log or an error.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import parse_qsl, unquote, urlsplit

from penstock.errors import BadUrl
from penstock.wire.amqp.sasl import external_response, plain_response

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from urllib.parse import SplitResult

__all__ = ["BrokerUrl"]

#: By scheme: the port, and whether TLS is spoken.
_SCHEMES: Final = {"amqp": (5672, False), "amqps": (5671, True)}


def _one_of(*words: str) -> Callable[[str], str]:
    def read(text: str) -> str:
        if text.lower() not in words:
            raise ValueError(f"is one of {', '.join(words)}")
        return text.lower()

    return read


def _whole(text: str) -> int:
    if not text.isdecimal():
        raise ValueError("is a whole number")
    return int(text)


#: By the parameter's name: the field it fills and how it is read.
_PARAMETERS: Final[Mapping[str, tuple[str, Callable[[str], Any]]]] = {
    "heartbeat": ("heartbeat", _whole),
    "connection_timeout": ("connect_timeout", lambda text: _whole(text) / 1000),
    "channel_max": ("channel_max", _whole),
    "frame_max": ("frame_max", _whole),
    "auth_mechanism": ("auth_mechanism", _one_of("plain", "external")),
    "cacertfile": ("ca_file", str),
    "certfile": ("certificate", str),
    "keyfile": ("key", str),
    "verify": ("verify", _one_of("verify_peer", "verify_none")),
    "server_name_indication": ("server_name", str),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class BrokerUrl:
    """Where a broker is, and as whom to come."""

    host: str = "localhost"
    port: int = 5672
    is_tls: bool = False
    user: str = "guest"
    password: str = field(default="guest", repr=False)
    virtual_host: str = "/"
    #: From the parameters; None where the settings decide.
    heartbeat: int | None = None
    connect_timeout: float | None = None
    channel_max: int | None = None
    frame_max: int | None = None
    auth_mechanism: str = "plain"
    #: Files in PEM: who is trusted, and who we are.
    ca_file: str | None = None
    certificate: str | None = None
    key: str | None = None
    verify: str = "verify_peer"
    server_name: str | None = None

    @classmethod
    def parse(cls, text: str) -> BrokerUrl:
        """The URL in this text.

        Raises:
            BadUrl: it cannot be read; the text tells what is wrong, without the password.
        """
        try:
            parts = urlsplit(text)
            port = parts.port
        except ValueError:
            # Python's own words quote what it stumbled over, which may be a piece of the password.
            raise BadUrl(
                "a broker's URL cannot be read: check its port, and write / # ? @ : in a password as %2F …"
            ) from None
        if parts.scheme not in _SCHEMES:
            raise BadUrl(f"a broker's URL begins with amqp:// or amqps://, not {parts.scheme or 'nothing'}")
        if parts.fragment:
            raise BadUrl(f"a broker's URL has no fragment (write # in a password as %23): {_shown(parts)}")
        default_port, is_tls = _SCHEMES[parts.scheme]
        return cls(
            host=parts.hostname or "localhost",
            port=port or default_port,
            is_tls=is_tls,
            user=unquote(parts.username) if parts.username is not None else "guest",
            password=unquote(parts.password) if parts.password is not None else "guest",
            virtual_host=_virtual_host(parts),
            **_parameters(parts),
        )

    def __str__(self) -> str:
        """The URL without secrets, for logs."""
        scheme = "amqps" if self.is_tls else "amqp"
        host = f"[{self.host}]" if ":" in self.host else self.host
        vhost = "" if self.virtual_host == "/" else f"/{self.virtual_host}"
        return f"{scheme}://{self.user}@{host}:{self.port}{vhost}"

    @property
    def responses(self) -> dict[str, bytes]:
        """What to answer to each login mechanism, the preferred first."""
        if self.auth_mechanism == "external":
            return {"EXTERNAL": external_response()}
        return {"PLAIN": plain_response(self.user, self.password)}


def _virtual_host(parts: SplitResult) -> str:
    """Everything after the first slash. Nothing there is "/", as most clients have it."""
    path = parts.path.removeprefix("/")
    if "/" in path:
        raise BadUrl(f"a virtual host with a slash is written with %2F: {_shown(parts)}")
    return unquote(path) or "/"


def _parameters(parts: SplitResult) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, text in parse_qsl(parts.query, keep_blank_values=True):
        if name not in _PARAMETERS:
            known = ", ".join(_PARAMETERS)
            raise BadUrl(f"a broker's URL has no parameter {name}, only {known}: {_shown(parts)}")
        into, read = _PARAMETERS[name]
        try:
            found[into] = read(text)
        except ValueError as exc:
            raise BadUrl(f"{name} {exc}, not {text!r}: {_shown(parts)}") from exc
    return found


def _shown(parts: SplitResult) -> str:
    """A URL as far as it may be shown."""
    return f"{parts.scheme}://{parts.hostname or ''}{parts.path}"
