"""Web: asks a Penstock broker over HTTP, on its AMQP port, and waits for the answer.

For threads, scripts and executors; asyncio has no business here. A few connections are kept open; each
carries one request at a time. What the broker refuses is raised as the error that it names.
"""

from __future__ import annotations

import json
from base64 import b64encode
from http.client import HTTPConnection, HTTPException, RemoteDisconnected
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

from penstock import errors
from penstock.client.dialing import tls_context
from penstock.client.url import BrokerUrl
from penstock.errors import BrokerRefused, LoginRefused, NotConnected, PenstockError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from http.client import HTTPResponse
    from socket import socket
    from typing import Self

__all__ = ["Answer", "Web", "path_of"]

#: Statuses whose meaning is the same whatever the broker says about them.
_BY_STATUS: Final[Mapping[int, type[PenstockError]]] = {401: LoginRefused, 403: errors.NotPermitted}
#: What a kept connection says when the broker has closed it meanwhile.
_GONE: Final = (RemoteDisconnected, ConnectionResetError, BrokenPipeError, ConnectionAbortedError)


def path_of(*names: str) -> str:
    """A path whose parts may hold anything, slashes included."""
    return "/" + "/".join(quote(name, safe="") for name in names)


class _Line(HTTPConnection):
    """One connection; TLS goes by the broker's URL, as it does for AMQP."""

    def __init__(self, url: BrokerUrl, timeout: float) -> None:
        super().__init__(url.host, url.port, timeout=timeout)
        self._url = url
        self._context = tls_context(url) if url.is_tls else None
        self.is_used = False

    def connect(self) -> None:
        super().connect()
        if self._context is not None:
            name = self._url.server_name or self._url.host
            self.sock: socket = self._context.wrap_socket(self.sock, server_hostname=name)


class Web:
    """A broker as HTTP shows it. Any thread may ask."""

    def __init__(self, url: str, timeout: float) -> None:
        """Nothing is opened before the first question.

        Raises:
            BadUrl: it cannot be read, or a file that its TLS needs cannot be used.
        """
        self.url = BrokerUrl.parse(url)
        self._timeout = timeout
        self._idle: list[_Line] = []
        self._headers = {"User-Agent": "penstock"}
        if self.url.auth_mechanism == "plain":
            proof = b64encode(f"{self.url.user}:{self.url.password}".encode()).decode()
            self._headers["Authorization"] = f"Basic {proof}"

    def __repr__(self) -> str:
        return f"<Web {self.url}, {len(self._idle)} idle>"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exc: object) -> None:
        self.close()

    def ask(self, verb: str, path: str, said: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Ask, with or without a JSON object, and have a JSON object back.

        Raises:
            NotConnected, LoginRefused, NotPermitted: and what else the broker names.
        """
        body = None if said is None else json.dumps(said).encode()
        with self.send(verb, path, body, "application/json") as answer:
            return answer.json()

    def send(
        self, verb: str, path: str, body: bytes | None = None, kind: str = "", *, once: bool = False
    ) -> Answer:
        """Ask, and have an answer to be read; use it in a `with` statement.

        Args:
            once: nothing is sent a second time, even if a kept connection turns out to be closed.

        Raises:
            NotConnected, LoginRefused, NotPermitted: and what else the broker names.
        """
        headers = self._headers | ({"Content-Type": kind} if body is not None else {})
        line = _Line(self.url, self._timeout) if once or not self._idle else self._idle.pop()
        while True:
            try:
                line.request(verb, path, body, headers)
                answer = Answer(self, line, line.getresponse())
            except _GONE as exc:
                line.close()
                if not line.is_used:
                    raise self._lost(exc) from exc
                # The broker was restarted, or found the line idle for too long: all of them may be gone.
                self.close()
                line = _Line(self.url, self._timeout)
            except (OSError, HTTPException) as exc:
                line.close()
                raise self._lost(exc) from exc
            else:
                break
        line.is_used = True
        answer.check()
        return answer

    def close(self) -> None:
        """Close what is kept; the next question opens a connection again."""
        while self._idle:
            self._idle.pop().close()

    def _lost(self, exc: Exception) -> NotConnected:
        if isinstance(exc, HTTPException) and not isinstance(exc, OSError):
            return NotConnected(
                f"{self.url} does not answer as a Penstock broker does ({type(exc).__name__}); "
                "RabbitMQ, for one, speaks no HTTP on its AMQP port"
            )
        return NotConnected(f"{self.url} cannot be asked: {str(exc) or type(exc).__name__}")


class Answer:
    """What the broker says to one question; the connection is free again once all of it is read."""

    def __init__(self, web: Web, line: _Line, response: HTTPResponse) -> None:
        self._web = web
        self._line = line
        self.response = response
        #: pyarrow asks before it reads.
        self.closed = False

    def __repr__(self) -> str:
        return f"<Answer {self.response.status} of {self._web.url}>"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exc: object) -> None:
        self.close()

    def check(self) -> None:
        """Raise what the broker refuses with."""
        status = self.response.status
        if status < 300:  # noqa: PLR2004 (HTTP's successes)
            return
        with self:
            said = self._refusal()
        kind = _BY_STATUS.get(status) or getattr(errors, said.get("kind", ""), None)
        text = str(said.get("error") or f"{self._web.url} answers with status {status}")
        if not (isinstance(kind, type) and issubclass(kind, PenstockError)):
            raise BrokerRefused(text, code=status)
        raise kind(text, **{name: value for name, value in said.items() if name not in {"error", "kind"}})

    def json(self) -> dict[str, Any]:
        """All of it, as an object."""
        found = json.loads(self.read() or b"{}")
        return found if isinstance(found, dict) else {}

    def read(self, size: int | None = None) -> bytes:
        """So many bytes, or the rest.

        Raises:
            NotConnected: the broker went in the middle.
        """
        try:
            return self.response.read(size)
        except (OSError, HTTPException) as exc:
            raise self._broken(exc) from exc

    def readinto(self, into: memoryview) -> int:
        """Fill a buffer as far as there is something; how far.

        Raises:
            NotConnected: the broker went in the middle.
        """
        at = 0
        try:
            while at < len(into) and (count := self.response.readinto(into[at:])):
                at += count
        except (OSError, HTTPException) as exc:
            raise self._broken(exc) from exc
        return at

    def close(self) -> None:
        """Keep the connection if nothing is left on it, else hang up."""
        if self.closed:
            return
        self.closed = True
        if self.response.isclosed() and not self.response.will_close:
            self._web._idle.append(self._line)  # noqa: SLF001 (one thing in two classes)
        else:
            self._line.close()

    def _refusal(self) -> dict[str, Any]:
        try:
            return self.json()
        except ValueError:
            return {}

    def _broken(self, exc: Exception) -> NotConnected:
        why = str(exc) or type(exc).__name__
        return NotConnected(f"{self._web.url} broke off in the middle of an answer: {why}")
