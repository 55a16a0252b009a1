"""Conversations in the beanstalk protocol's own form, and who holds them.

Each line begins with who speaks: `a>` client a, `a<` the server to client a. What stands in braces is a
number that the server chooses, or a name: the same wherever it comes again. `a~` looks into the data that
came last, `a!` closes the connection, or half of it. What stands on both sides of `|` is said in one go; what
stands behind `a?` takes a while.
"""

from __future__ import annotations

import re
import select
import socket
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from tests.servers.running import Running

#: Seconds a server gets for an answer; it needs milliseconds, unless the machine is busy.
PATIENCE_S: Final = 60.0
_BRACES: Final = re.compile(r"\{(\w+)\}")
#: Replies that have data behind them.
_WITH_DATA: Final = (b"OK", b"FOUND", b"RESERVED")


class Line:
    """One client."""

    def __init__(self, server: Running) -> None:
        self._socket = socket.create_connection((server.host, server.port), timeout=PATIENCE_S)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._file = self._socket.makefile("rb")
        self.data = b""

    def send(self, data: bytes) -> None:
        self._socket.sendall(data)

    def hear(self) -> str:
        """The next reply's line; its data is kept."""
        line = self._file.readline()
        words = line.split()
        if words and words[0] in _WITH_DATA:
            self.data = self._file.read(int(words[-1]) + 2)[:-2]
        return line.decode().removesuffix("\r\n")

    def has_news(self) -> bool:
        """Whether something comes soon."""
        return bool(select.select([self._socket], [], [], 0.2)[0])

    def half_close(self) -> None:
        self._socket.shutdown(socket.SHUT_WR)

    def close(self) -> None:
        self._file.close()
        self._socket.close()


class Conversation:
    """Several clients of one server, and what the braces mean."""

    def __init__(self, server: Running, **meant: str) -> None:
        self._server = server
        self._lines: dict[str, Line] = {}
        self._meant = meant

    def hold(self, script: str) -> None:
        """Say and hear all of it, in order."""
        for line in filter(None, map(str.strip, script.splitlines())):
            who, what, text = line[0], line[1], line[3:]
            self._STEPS[what](self, self._line(who), text)

    def close(self) -> None:
        for line in self._lines.values():
            line.close()

    def _line(self, who: str) -> Line:
        if who not in self._lines:
            self._lines[who] = Line(self._server)
        return self._lines[who]

    def _say(self, line: Line, text: str) -> None:
        said = _BRACES.sub(lambda name: self._meant[name[1]], text).replace("|", "\r\n")
        line.send(said.encode() + b"\r\n")

    def _hear(self, line: Line, text: str) -> None:
        heard = line.hear()
        pattern = "".join(
            self._pattern(part) if place % 2 else re.escape(part)
            for place, part in enumerate(_BRACES.split(text))
        )
        match = re.fullmatch(pattern, heard)
        assert match, f"heard {heard!r}, not {text!r}"
        self._meant |= match.groupdict()

    def _hear_late(self, line: Line, text: str) -> None:
        """The same, while the others say something now and then: beanstalkd 1.12 may see only then that a
        client's time is over.
        """
        for _ in range(int(PATIENCE_S / 0.2)):
            if line.has_news():
                break
            for other in self._lines.values():
                if other is not line:
                    other.send(b"list-tube-used\r\n")
                    other.hear()
        self._hear(line, text)

    def _pattern(self, name: str) -> str:
        return re.escape(self._meant[name]) if name in self._meant else rf"(?P<{name}>\d+)"

    def _look(self, line: Line, text: str) -> None:
        wanted = _BRACES.sub(lambda name: self._meant[name[1]], text)
        told = line.data.decode().replace('"', "").split("\n")
        assert wanted in told, f"{wanted!r} is not in {told}"

    def _close(self, line: Line, text: str) -> None:
        (line.half_close if text == "half" else line.close)()
        if text != "half":
            self._lines = {who: other for who, other in self._lines.items() if other is not line}

    _STEPS: Final = {">": _say, "<": _hear, "?": _hear_late, "~": _look, "!": _close}
