"""A broker's URL, read: amqp://user:password@host:port/vhost?parameters.

The password never appears in a repr, a log or an error.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote

from penstock.client.endpoint import TLS, Endpoint, one_of, read_parameters, shown, split_url
from penstock.errors import BadUrl
from penstock.wire.amqp.sasl import external_response, plain_response

if TYPE_CHECKING:
    from urllib.parse import SplitResult

    from penstock.client.endpoint import Parameters

__all__ = ["BrokerUrl"]

WHAT: Final = "a broker's URL"
#: By scheme: the port, and whether TLS is spoken.
SCHEMES: Final = {"amqp": (5672, False), "amqps": (5671, True)}


def _whole(text: str) -> int:
    if not text.isdecimal():
        raise ValueError("is a whole number")
    return int(text)


PARAMETERS: Final[Parameters] = {
    "heartbeat": ("heartbeat", _whole),
    "connection_timeout": ("connect_timeout", lambda text: _whole(text) / 1000),
    "channel_max": ("channel_max", _whole),
    "frame_max": ("frame_max", _whole),
    "auth_mechanism": ("auth_mechanism", one_of("plain", "external")),
    **TLS,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class BrokerUrl(Endpoint):
    """Where a broker is, and as whom to come."""

    port: int = 5672
    user: str = "guest"
    password: str = field(default="guest", repr=False)
    virtual_host: str = "/"
    #: From the parameters; None where the settings decide.
    heartbeat: int | None = None
    connect_timeout: float | None = None
    channel_max: int | None = None
    frame_max: int | None = None
    auth_mechanism: str = "plain"

    @classmethod
    def parse(cls, text: str) -> BrokerUrl:
        """The URL in this text.

        Raises:
            BadUrl: it cannot be read; the text tells what is wrong, without the password.
        """
        parts, place = split_url(text, WHAT, SCHEMES)
        if parts.fragment:
            raise BadUrl(f"{WHAT} has no fragment (write # in a password as %23): {shown(parts)}")
        return cls(
            **place,
            user=unquote(parts.username) if parts.username is not None else "guest",
            password=unquote(parts.password) if parts.password is not None else "guest",
            virtual_host=_virtual_host(parts),
            **read_parameters(parts, WHAT, PARAMETERS),
        )

    def __str__(self) -> str:
        """The URL without secrets, for logs."""
        scheme = "amqps" if self.is_tls else "amqp"
        vhost = "" if self.virtual_host == "/" else f"/{self.virtual_host}"
        return f"{scheme}://{self.user}@{self.address}{vhost}"

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
        raise BadUrl(f"a virtual host with a slash is written with %2F: {shown(parts)}")
    return unquote(path) or "/"
