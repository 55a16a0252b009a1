"""A tiny SMTP server (RFC 5321) that keeps what it is given: just enough for smtplib."""

from __future__ import annotations

import asyncio
import base64
from email import message_from_bytes, policy
from email.message import EmailMessage
from typing import Self

from tests.servers.running import HOST


class SmtpServer:
    """Takes letters at `port`; refuses every recipient when `refuses` is set."""

    def __init__(self, *, refuses: bool = False) -> None:
        self.letters: list[EmailMessage] = []
        self.recipients: list[str] = []
        self.logins: list[str] = []
        self.port = 0
        self._refuses = refuses
        self._server: asyncio.Server | None = None

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._talk, HOST, 0)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server
        self._server.close()
        await self._server.wait_closed()

    async def _talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"220 tests\r\n")
        while line := (await reader.readline()).decode().strip():
            writer.write(await self._answer(line, reader, writer))
            if line.upper() == "QUIT":
                break
        writer.close()

    async def _answer(self, line: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bytes:
        verb = line.split(maxsplit=1)[0].upper()
        if verb == "EHLO":
            return b"250-tests\r\n250 AUTH PLAIN\r\n"
        if verb == "AUTH":
            self.logins.append(base64.b64decode(line.split()[2]).decode())
            return b"235 welcome\r\n"
        if verb == "RCPT":
            self.recipients.append(line)
            return b"550 nobody here\r\n" if self._refuses else b"250 ok\r\n"
        if verb == "DATA":
            writer.write(b"354 go on\r\n")
            self._keep(await reader.readuntil(b"\r\n.\r\n"))
        return b"221 bye\r\n" if verb == "QUIT" else b"250 ok\r\n"

    def _keep(self, data: bytes) -> None:
        letter = message_from_bytes(data.removesuffix(b".\r\n"), policy=policy.default)
        assert isinstance(letter, EmailMessage)
        self.letters.append(letter)
