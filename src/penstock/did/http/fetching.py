"""Fetching from other domains by HTTP: bounded in bytes, in time and in redirections.

What comes may come from anybody: at most `limit` bytes are read, and the whole exchange, not only each read
of it, has a deadline. Which URLs may be asked at all is the caller's rule; by default all of https.
"""

from __future__ import annotations

import http.client
import socket
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from threading import Event, Timer
from typing import TYPE_CHECKING, Final
from urllib.parse import urljoin, urlsplit

from penstock.did.http.addresses import place_of, zone_of
from penstock.did.http.dialing import dial
from penstock.did.http.patience import Patience, Waiting
from penstock.did.http.statuses import OK, is_passing
from penstock.errors import ActivityRefused, ContentNotFound, ContentTooLarge, Unavailable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from ssl import SSLContext
    from urllib.parse import SplitResult

__all__ = ["HttpFetcher", "is_https", "target_of"]

#: Bytes asked of a socket at once.
PIECE: Final = 64 * 1024
REDIRECTIONS: Final = 3
REDIRECTS: Final = {301, 302, 303, 307, 308}
#: What was posted is taken: done, made, or to be done.
TAKEN: Final = {200, 201, 202, 204}


def is_https(url: str) -> bool:
    """The rule when no other is given."""
    return url.startswith("https://")


def target_of(parts: SplitResult) -> str:
    """Path and query of a URL, as the request line has them, and as they are signed."""
    return f"{parts.path or '/'}{'?' if parts.query else ''}{parts.query}"


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpFetcher:
    """A GET, and a POST, that trust nobody."""

    #: Whether a URL may be asked; redirections are looked at, too.
    may_ask: Callable[[str], bool] = is_https
    #: Whether a host's port may be reached at an address; any may, if it is None.
    may_reach: Callable[[str, int, str], bool] | None = None
    #: Seconds for each place that is asked, from the connection to the last byte.
    timeout: float = 10.0
    tls: SSLContext | None = None
    patience: Patience = field(default_factory=Patience, compare=False)

    def fetch(self, url: str, *, limit: int, accept: str = "application/ld+json") -> bytes:
        """The body at that URL.

        Raises:
            ContentNotFound: there is none for us: 404, or the URL is none, or may not be asked.
            ContentTooLarge: it has more than `limit` bytes.
            Unavailable: nobody answers now, or not in time.
        """
        asked = url
        for _ in range(1 + REDIRECTIONS):
            with _translating(asked, "read"):
                body, elsewhere = self._ask(asked, limit, accept)
                if not elsewhere:
                    return body
                asked = urljoin(asked, elsewhere)
        raise ContentNotFound(f"{url} leads from one place to the next, more than {REDIRECTIONS} times")

    def post(self, url: str, body: bytes, headers: Mapping[str, str]) -> None:
        """Send a body there, and return when it was taken. Nobody is sent on to another place.

        Raises:
            ActivityRefused: it is not taken there, or the URL is none, or may not be asked.
            Unavailable: nobody answers now, or not in time.
        """
        if not self.may_ask(url):
            raise ActivityRefused(f"{url} may not be told anything: the settings here do not allow it")
        try:
            with _translating(url, "told"):
                self._tell(url, body, headers)
        except ContentNotFound as exc:
            raise ActivityRefused(f"what was sent is not taken: {exc}") from exc

    def _tell(self, url: str, body: bytes, headers: Mapping[str, str]) -> None:
        with Waiting(self.patience) as waiting:
            connection, path = self._connection(url, waiting)
            connection.connect()
            with closing(connection), _hung_up_after(self.timeout, connection.sock, url):
                connection.request("POST", path, body=body, headers=dict(headers))
                status = connection.getresponse().status
                # Whoever has not taken all of it has no time for it, either.
                waiting.size = len(body)
                if status not in TAKEN:
                    _judge(url, status)

    def _ask(self, url: str, limit: int, accept: str) -> tuple[bytes, str]:
        if not self.may_ask(url):
            raise ContentNotFound(f"{url} may not be asked: the settings here do not allow it")
        with Waiting(self.patience) as waiting:
            connection, path = self._connection(url, waiting)
            try:
                connection.connect()
                with _hung_up_after(self.timeout, connection.sock, url):
                    connection.request("GET", path, headers={"Accept": accept, "Accept-Encoding": "identity"})
                    answer = connection.getresponse()
                    if answer.status in REDIRECTS and (elsewhere := answer.getheader("Location")):
                        return b"", elsewhere
                    _judge(url, answer.status)
                    body = _body(url, answer, limit)
                    waiting.size = len(body)
                    return body, ""
            finally:
                connection.close()

    def _connection(self, url: str, waiting: Waiting) -> tuple[http.client.HTTPConnection, str]:
        try:
            parts = urlsplit(url)
            host, port = parts.hostname, parts.port
        except ValueError as exc:
            raise ContentNotFound(f"{url[:200]!r} is no URL: {exc}") from exc
        if parts.scheme not in {"http", "https"} or not host or parts.username is not None:
            raise ContentNotFound(f"{url[:200]!r} is no URL of a domain")
        if not url.isascii() or not url.isprintable() or " " in url:
            raise ContentNotFound(f"{url[:200]!r} is no URL: it must be escaped")
        if parts.scheme == "http":
            connection = http.client.HTTPConnection(host, port, timeout=self.timeout)
        else:
            connection = http.client.HTTPSConnection(host, port, timeout=self.timeout, context=self.tls)
        # http.client has no public way to say how a connection is made.
        connection._create_connection = partial(self._dial, waiting)  # type: ignore[attr-defined]  # noqa: SLF001
        return connection, target_of(parts)

    def _dial(self, waiting: Waiting, address: tuple[str, int], *_: object) -> socket.socket:
        def begin(tried: str, port: int) -> None:
            waiting.turn_to(place_of(tried, port))

        # How long a name may take to be found, is the system's affair.
        waiting.turn_to(zone_of(address[0]))
        return dial(*address, self.timeout, self.may_reach, begin)


@contextmanager
def _translating(url: str, verb: str) -> Iterator[None]:
    """What the network says about a URL that strangers have written, in our words.

    Raises:
        Unavailable: it cannot be reached now.
        ContentNotFound: it never can be: it, or what it leads to, is no URL, or its host no name.
    """
    try:
        yield
    except (OSError, http.client.HTTPException) as exc:
        raise Unavailable(f"{url} cannot be {verb} now: {type(exc).__name__}: {exc}") from exc
    except ValueError as exc:
        # After OSError: certificates that do not hold are of both kinds.
        raise ContentNotFound(f"{url[:200]!r} cannot be {verb} at all: {exc}") from exc


@contextmanager
def _hung_up_after(seconds: float, sock: socket.socket, url: str) -> Iterator[None]:
    """End the connection when it is late, wherever it is; a byte now and then does not prolong it.

    Raises:
        Unavailable: it was late.
    """
    is_late = Event()

    def hang_up() -> None:
        is_late.set()
        with suppress(OSError):
            sock.shutdown(socket.SHUT_RDWR)

    timer = Timer(seconds, hang_up)
    timer.daemon = True
    timer.start()
    late = f"{url} did not send all of it in {seconds:g} seconds"
    try:
        yield
    except (OSError, http.client.HTTPException, Unavailable) as exc:
        if is_late.is_set():
            raise Unavailable(late) from exc
        raise
    finally:
        timer.cancel()
    # A body that ends with the connection ends early, and looks whole.
    if is_late.is_set():
        raise Unavailable(late)


def _body(url: str, answer: http.client.HTTPResponse, limit: int) -> bytes:
    if (answer.length or 0) > limit:
        raise ContentTooLarge(f"{url} has {answer.length} bytes, and {limit} are allowed")
    body = bytearray()
    while piece := answer.read(min(PIECE, limit + 1 - len(body))):
        body += piece
        if len(body) > limit:
            raise ContentTooLarge(f"{url} has more than the {limit} bytes that are allowed")
    if answer.length:
        raise Unavailable(f"{url} broke off with {answer.length} bytes to come")
    return bytes(body)


def _judge(url: str, status: int) -> None:
    if is_passing(status):
        raise Unavailable(f"{url} answers {status}")
    if status != OK:
        raise ContentNotFound(f"{url} answers {status}")
