"""Alerts to a URL, as JSON in a POST: a chat service's incoming webhook, or a program of one's own."""

from __future__ import annotations

import asyncio
import json
import urllib.request
from typing import TYPE_CHECKING, Final
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit

from penstock.errors import BadSetting, MessagingError
from penstock.messaging.alerts.wording import fields

if TYPE_CHECKING:
    from collections.abc import Mapping

    from penstock.messaging.port import Alert

__all__ = ["WebhookSender"]

#: Seconds for the whole exchange.
TIMEOUT_S: Final = 10.0


class WebhookSender:
    """Posts each alert to a URL. Whoever has the URL can post, so it is a secret: only its host is shown."""

    def __init__(
        self, url: str, *, headers: Mapping[str, str] | None = None, timeout: float = TIMEOUT_S
    ) -> None:
        parts = urlsplit(url)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise BadSetting("an alert webhook takes an http or https URL", setting="alert_webhook")
        self._url = url
        self._headers = {"Content-Type": "application/json", **(headers or {})}
        self._timeout = timeout
        #: What may be shown of the URL.
        self.host: Final = parts.hostname

    def __repr__(self) -> str:
        return f"<WebhookSender {self.host}>"

    async def send(self, alert: Alert) -> None:
        body = json.dumps(fields(alert), ensure_ascii=False).encode()
        await asyncio.to_thread(self._post, body)

    def _post(self, body: bytes) -> None:
        request = urllib.request.Request(self._url, data=body, headers=self._headers, method="POST")  # noqa: S310  the scheme was looked at
        try:
            with urllib.request.urlopen(request, timeout=self._timeout):  # noqa: S310  the same
                pass
        except HTTPError as error:
            error.close()
            raise MessagingError(f"the webhook at {self.host} answered {error.code}") from None
        except (URLError, OSError) as error:
            # What urllib says may hold the URL; its class and reason do not.
            reason = error.reason if isinstance(error, URLError) else error
            raise MessagingError(f"the webhook at {self.host} does not answer: {reason}") from None
