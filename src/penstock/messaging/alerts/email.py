"""Alerts by e-mail, through an SMTP server."""

from __future__ import annotations

import asyncio
import smtplib
import ssl
from email.message import EmailMessage
from email.utils import make_msgid
from typing import TYPE_CHECKING, Final

from penstock.errors import BadSetting
from penstock.messaging.alerts.wording import lines, title

if TYPE_CHECKING:
    from collections.abc import Sequence

    from penstock.messaging.port import Alert

__all__ = ["EmailSender"]

#: Seconds that the server may be silent.
TIMEOUT_S: Final = 10.0


class EmailSender:
    """Sends each alert as an e-mail.

    Args:
        host: The SMTP server.
        sender: The address it comes from.
        recipients: The addresses it goes to.
        user: With a password, logs in; only after STARTTLS, unless `starttls` is False.
    """

    def __init__(
        self,
        host: str,
        port: int = 587,
        *,
        sender: str,
        recipients: Sequence[str],
        user: str | None = None,
        password: str | None = None,
        starttls: bool = True,
        timeout: float = TIMEOUT_S,
    ) -> None:
        if not recipients:
            raise BadSetting("an alert by e-mail needs somebody to go to", setting="alert_recipients")
        self._server = (host, port)
        self._sender = sender
        self._recipients = tuple(recipients)
        self._login = (user, password) if user and password else None
        self._starttls = starttls
        self._timeout = timeout

    def __repr__(self) -> str:
        return f"<EmailSender {self._server[0]}:{self._server[1]}, {len(self._recipients)} recipients>"

    async def send(self, alert: Alert) -> None:
        await asyncio.to_thread(self._deliver, self._letter(alert))

    def _letter(self, alert: Alert) -> EmailMessage:
        letter = EmailMessage()
        letter["From"] = self._sender
        letter["To"] = ", ".join(self._recipients)
        letter["Subject"] = title(alert)
        letter["Message-ID"] = make_msgid(domain="penstock.invalid")
        letter["X-Penstock-Alert"] = " ".join(alert.kind.split())
        letter.set_content(lines(alert))
        return letter

    def _deliver(self, letter: EmailMessage) -> None:
        host, port = self._server
        with smtplib.SMTP(host, port, timeout=self._timeout) as connection:
            if self._starttls:
                connection.starttls(context=ssl.create_default_context())
            if self._login:
                connection.login(*self._login)
            connection.send_message(letter)
