"""RabbitMQ's management API, as far as a topology needs it: what a virtual host has.

Over HTTP, with the standard library, in a thread. The plugin need not be enabled, and a user needs a tag to
use it: who asks decides what that means.
"""

from __future__ import annotations

import asyncio
import base64
import http.client
import ssl
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote, unquote, urlsplit

import msgspec

from penstock.errors import ManagementMissing, NotPermitted, TopologyError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.client.url import BrokerUrl

__all__ = ["Management"]

#: Where the plugin listens unless told otherwise, by whether it speaks TLS.
PORTS: Final = {False: 15672, True: 15671}
SCHEMES: Final = {"http": False, "https": True}
#: Seconds for each question.
TIMEOUT_S: Final = 10.0
#: What is asked for, under the names that definitions have for it; and only these fields, since a busy
#: broker has a lot more to tell.
QUESTIONS: Final = {
    "queues": "name,durable,auto_delete,exclusive,arguments,messages,consumers",
    "exchanges": "name,type,durable,auto_delete,internal,arguments",
    "bindings": "source,destination,destination_type,routing_key,arguments",
}
_UNAUTHORIZED: Final = (401, 403)

_Things = list[dict[str, Any]]
_Ask = Callable[[str, Any], Any]


class _Named(msgspec.Struct):
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Management:
    """Where the management API is, and as whom to come."""

    host: str
    port: int
    is_tls: bool
    user: str
    password: str
    path: str = ""

    @classmethod
    def beside(cls, url: BrokerUrl) -> Management:
        """Where the plugin of the broker at this URL is, unless somebody has moved it."""
        return cls(
            host=url.host, port=PORTS[url.is_tls], is_tls=url.is_tls, user=url.user, password=url.password
        )

    @classmethod
    def parse(cls, text: str, url: BrokerUrl) -> Management:
        """The API at a URL of its own; the user is the broker's unless it names one.

        Raises:
            TopologyError: it is no HTTP URL.
        """
        try:
            parts = urlsplit(text)
            port = parts.port
        except ValueError as exc:
            raise TopologyError(f"the management URL cannot be read: {exc}") from exc
        if parts.scheme not in SCHEMES or not parts.hostname:
            raise TopologyError("the management URL looks like http://host:15672")
        is_tls = SCHEMES[parts.scheme]
        return cls(
            host=parts.hostname,
            port=port or (443 if is_tls else 80),
            is_tls=is_tls,
            user=url.user if parts.username is None else unquote(parts.username),
            password=url.password if parts.password is None else unquote(parts.password),
            path=parts.path.rstrip("/"),
        )

    def __str__(self) -> str:
        return f"{'https' if self.is_tls else 'http'}://{self.host}:{self.port}{self.path}"

    async def definitions(self, vhost: str) -> dict[str, list[dict[str, Any]]]:
        """Queues, exchanges and bindings of a virtual host.

        Raises:
            ManagementMissing: no management API is there.
            NotPermitted: this user may not use it.
        """
        return await asyncio.to_thread(self._definitions, vhost)

    def _definitions(self, vhost: str) -> dict[str, list[dict[str, Any]]]:
        place = quote(vhost, safe="")
        paths = {noun: f"/api/{noun}/{place}?columns={columns}" for noun, columns in QUESTIONS.items()}
        with self._asking() as ask:
            return {noun: ask(path, _Things) for noun, path in paths.items()}

    async def cluster(self) -> str:
        """Whose API it is: the name that the broker itself tells its clients.

        Raises:
            ManagementMissing, NotPermitted: as of `definitions`.
        """
        return await asyncio.to_thread(self._cluster)

    def _cluster(self) -> str:
        with self._asking() as ask:
            named: _Named = ask("/api/cluster-name", _Named)
            return named.name

    @contextmanager
    def _asking(self) -> Iterator[_Ask]:
        """Questions over one connection."""
        connection = self.connect()
        try:
            yield partial(self._ask, connection)
        except (OSError, http.client.HTTPException, msgspec.DecodeError) as exc:
            told = str(exc) or type(exc).__name__
            raise ManagementMissing(f"no management API answers at {self}: {told}") from exc
        finally:
            connection.close()

    @property
    def headers(self) -> dict[str, str]:
        """What every request says."""
        key = base64.b64encode(f"{self.user}:{self.password}".encode()).decode()
        return {"Authorization": f"Basic {key}", "Accept": "application/json"}

    def connect(self) -> http.client.HTTPConnection:
        """A connection; nothing is opened before the first request."""
        if self.is_tls:
            context = ssl.create_default_context()
            return http.client.HTTPSConnection(self.host, self.port, timeout=TIMEOUT_S, context=context)
        return http.client.HTTPConnection(self.host, self.port, timeout=TIMEOUT_S)

    def _ask(self, connection: http.client.HTTPConnection, path: str, kind: Any) -> Any:
        connection.request("GET", self.path + path, headers=self.headers)
        answer = connection.getresponse()
        body = answer.read()
        if answer.status in _UNAUTHORIZED:
            raise NotPermitted(f"user {self.user!r} may not use the management API at {self}: it needs a tag")
        if answer.status != http.client.OK:
            raise ManagementMissing(f"{self} answered {answer.status} {answer.reason}")
        return msgspec.json.decode(body, type=kind)
