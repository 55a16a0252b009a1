"""Where a beanstalk server is, and as whom to come: `beanstalk://[user:password@]host[:port]`.

`beanstalks://` speaks TLS; its parameters are those of `amqps://`. beanstalkd itself knows neither users nor
TLS: a URL with them means Penstock, or a proxy that speaks TLS before beanstalkd.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final
from urllib.parse import quote, unquote

from penstock.client.endpoint import TLS, Endpoint, read_parameters, shown, split_url
from penstock.client.schemes import BEANSTALK
from penstock.errors import BadUrl
from penstock.wire.beanstalk import Verb
from penstock.wire.beanstalk.requests import request

__all__ = ["BeanstalkUrl"]

WHAT: Final = "a beanstalk URL"


@dataclass(frozen=True, slots=True, kw_only=True)
class BeanstalkUrl(Endpoint):
    """Where a beanstalk server is, and as whom to come."""

    port: int = 11300
    #: None is whoever comes without a name.
    user: str | None = None
    password: str = field(default="", repr=False)

    @classmethod
    def parse(cls, text: str) -> BeanstalkUrl:
        """The URL in this text.

        Raises:
            BadUrl: it cannot be read; the text tells what is wrong, without the password.
        """
        parts, place = split_url(text, WHAT, BEANSTALK)
        if parts.path not in ("", "/") or parts.fragment:
            raise BadUrl(f"{WHAT} has no path, since there are no virtual hosts: {shown(parts)}")
        return cls(
            **place,
            user=None if parts.username is None else unquote(parts.username),
            password=unquote(parts.password or ""),
            **read_parameters(parts, WHAT, TLS),
        )

    def __str__(self) -> str:
        """The URL without secrets, for logs."""
        scheme = "beanstalks" if self.is_tls else "beanstalk"
        user = "" if self.user is None else f"{quote(self.user, safe='')}@"
        return f"{scheme}://{user}{self.address}"

    @property
    def login(self) -> bytes:
        """The line that says who comes; nothing if nobody does. Penstock's own: beanstalkd knows no users."""
        if self.user is None:
            return b""
        return request(Verb.AUTH, quote(self.user, safe=""), quote(self.password, safe=""))
