"""With a small SMTP server of the test's own, smtp.py."""

from __future__ import annotations

import asyncio
import smtplib
from dataclasses import replace

import pytest

from penstock.errors import BadSetting
from penstock.messaging.alerts import EmailSender
from tests.messaging.alerts.recording import PLAIN
from tests.messaging.alerts.smtp import SmtpServer
from tests.servers.running import HOST


def sender(port: int, **more: str) -> EmailSender:
    return EmailSender(
        HOST,
        port,
        sender="penstock@example.org",
        recipients=["ops@example.org", "dev@example.org"],
        starttls=False,
        **more,  # type: ignore[arg-type]
    )


def test_an_alert_is_a_letter_to_everybody() -> None:
    async def story() -> None:
        async with SmtpServer() as server:
            await sender(server.port).send(replace(PLAIN, text="3 messages are dead: ü", is_critical=True))
            (letter,) = server.letters
            assert letter["Subject"] == "[penstock] CRITICAL exhausted: commons.Notifications"
            assert letter["From"] == "penstock@example.org"
            assert letter["To"] == "ops@example.org, dev@example.org"
            assert letter["X-Penstock-Alert"] == "exhausted"
            assert letter.get_content().splitlines() == ["3 messages are dead: ü"]
            assert len(server.recipients) == 2
            assert server.logins == []

    asyncio.run(story())


def test_a_subject_cannot_bring_headers_of_its_own() -> None:
    async def story() -> None:
        async with SmtpServer() as server:
            nasty = replace(PLAIN, kind="x\r\nBcc: a@b", subject="q\r\nBcc: everybody@example.org")
            await sender(server.port).send(nasty)
            (letter,) = server.letters
            assert letter["Bcc"] is None
            assert "Bcc: everybody@example.org" in letter["Subject"]

    asyncio.run(story())


def test_with_a_password_it_logs_in() -> None:
    async def story() -> None:
        async with SmtpServer() as server:
            mailer = sender(server.port, user="app", password="sesame")  # noqa: S106  a test's
            await mailer.send(PLAIN)
            assert server.logins == ["\0app\0sesame"]
            assert "sesame" not in repr(mailer)

    asyncio.run(story())


def test_without_tls_on_the_server_nothing_is_sent_unless_told_so() -> None:
    async def story() -> None:
        async with SmtpServer() as server:
            mailer = EmailSender(HOST, server.port, sender="a@b", recipients=["c@d"])
            with pytest.raises(smtplib.SMTPNotSupportedError):
                await mailer.send(PLAIN)
            assert server.letters == []

    asyncio.run(story())


def test_a_refusal_is_an_error() -> None:
    async def story() -> None:
        async with SmtpServer(refuses=True) as server:
            with pytest.raises(smtplib.SMTPRecipientsRefused):
                await sender(server.port).send(PLAIN)

    asyncio.run(story())


def test_somebody_must_be_told() -> None:
    with pytest.raises(BadSetting, match="needs somebody to go to"):
        EmailSender(HOST, sender="a@b", recipients=[])
