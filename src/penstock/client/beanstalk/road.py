"""The road to a beanstalk server: a socket, and the line that says who comes."""

from __future__ import annotations

import asyncio
import logging
import ssl
from typing import TYPE_CHECKING

from penstock.client.beanstalk.connection import BeanstalkConnection
from penstock.client.dialing import dial_url
from penstock.errors import LoginRefused, NotConnected
from penstock.wire.beanstalk import Word

if TYPE_CHECKING:
    from penstock.client.beanstalk.url import BeanstalkUrl
    from penstock.client.counters import Counters
    from penstock.client.dialing import Dial
    from penstock.client.settings import ClientSettings

__all__ = ["BeanstalkRoad"]

log = logging.getLogger(__name__)


class BeanstalkRoad:
    """Opens connections to one server."""

    def __init__(
        self, url: BeanstalkUrl, dial: Dial | None, settings: ClientSettings, counters: Counters
    ) -> None:
        """Raises BadUrl if a file that the URL names cannot be used."""
        self.url = url
        self._dial = dial or dial_url(url)
        self._settings = settings
        self._counters = counters

    def __repr__(self) -> str:
        return f"<BeanstalkRoad to {self.url}>"

    async def open(self, name: str) -> BeanstalkConnection:
        """An open connection.

        Raises:
            LoginRefused: we are not welcome, or the server knows no users.
            NotConnected: nobody answers.
        """
        connection = BeanstalkConnection(f"{name} to {self.url}")
        within = self._settings.connect_timeout
        is_open = False
        try:
            async with asyncio.timeout(within):
                await self._dial(lambda: connection)
            await self._enter(connection, within)
            is_open = True
        except TimeoutError as exc:
            raise NotConnected(f"{self.url}: no answer within {within:g} s") from exc
        except (OSError, ssl.SSLError) as exc:
            raise NotConnected(f"{self.url} cannot be reached: {exc}") from exc
        finally:
            if not is_open:
                connection.abort("it was not opened in time")
        self._counters.connected += 1
        log.info("%s: connected to %s", name, self.url)
        return connection

    async def _enter(self, connection: BeanstalkConnection, within: float) -> None:
        if not self.url.login:
            return
        answer = await connection.ask(self.url.login, within)
        if answer.word is Word.UNKNOWN_COMMAND:
            raise LoginRefused(f"{self.url}: that server knows no users: leave the user out of the URL")
        if answer.word is not Word.AUTHENTICATED:
            raise LoginRefused(f"{self.url}: the server does not let this user in ({answer.word.value})")
