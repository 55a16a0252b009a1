"""The road to a broker: its addresses, tried in turn, each with a socket, a handshake and a time limit."""

from __future__ import annotations

import asyncio
import logging
import ssl
from typing import TYPE_CHECKING

from penstock.client.connection import Connection
from penstock.client.dialing import dial_url
from penstock.client.url import BrokerUrl
from penstock.errors import BadUrl, ClientError, LoginRefused, NotConnected

if TYPE_CHECKING:
    from collections.abc import Sequence

    from penstock.client.counters import Counters
    from penstock.client.dialing import Dial
    from penstock.client.settings import ClientSettings

__all__ = ["Road"]

log = logging.getLogger(__name__)


class Road:
    """Opens connections to the first address that answers, beginning with the one that did last."""

    def __init__(
        self, urls: Sequence[str], dial: Dial | None, settings: ClientSettings, counters: Counters
    ) -> None:
        """Raises BadUrl if one of the URLs, or a file it names, cannot be used."""
        if not urls:
            raise BadUrl("a client needs at least one broker's URL")
        parsed = [BrokerUrl.parse(url) for url in urls]
        self._addresses = [(url, dial or dial_url(url)) for url in parsed]
        self._settings = settings
        self._counters = counters
        self._at = 0

    def __repr__(self) -> str:
        return f"<Road to {self}>"

    def __str__(self) -> str:
        return " or ".join(str(url) for url, _ in self._addresses)

    async def open(self, name: str) -> Connection:
        """An open connection.

        Raises:
            LoginRefused: we are not welcome.
            NotConnected: nobody answers as a broker should.
            BrokerRefused: it hung up, and said why.
        """
        error: ClientError = NotConnected("nothing was tried")
        for _ in self._addresses:
            try:
                return await self._open_at(self._at, name)
            except LoginRefused:
                raise  # the others have the same users
            except ClientError as refused:
                error = refused
                self._at = (self._at + 1) % len(self._addresses)
        raise error

    async def _open_at(self, index: int, name: str) -> Connection:
        url, dial = self._addresses[index]
        connection = Connection(url, self._settings, self._counters, name)
        within = url.connect_timeout or self._settings.connect_timeout
        is_open = False
        try:
            async with asyncio.timeout(within):
                await dial(lambda: connection)
                await asyncio.shield(connection.opened)
            is_open = True
        except TimeoutError as exc:
            raise NotConnected(f"{url}: no answer within {within:g} s") from exc
        except (OSError, ssl.SSLError) as exc:
            raise NotConnected(f"{url} cannot be reached: {exc}") from exc
        finally:
            if not is_open:
                connection.abort("it was not opened in time")
        self._counters.connected += 1
        log.info("%s: connected to %s, %s", name, url, connection.server)
        return connection
