"""A client: one connection with a session. Frames go out without waiting, and not without bound."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

from websockets.frames import Frame, Opcode

from penstock.workers.gateway.envelope import Reply, encode
from penstock.workers.gateway.history import Place

if TYPE_CHECKING:
    import asyncio

    from penstock.workers.gateway.counters import Counters
    from penstock.workers.gateway.pace import Pace
    from penstock.workers.gateway.session import Session

__all__ = ["TOO_SLOW", "Client", "Line", "frame_of", "room_place", "user_place"]

#: Close codes of our own (RFC 6455 §7.4.2: 4000 to 4999).
TOO_SLOW: Final = 4408
SLOW: Final = "/gateway/slow"


class Line(Protocol):
    """A connection, as far as a client's frames go. Nothing here waits."""

    @property
    def is_open(self) -> bool:
        """Whether frames may be sent: neither side has said farewell."""
        ...

    @property
    def unsent(self) -> int:
        """Bytes that are kept until they can be sent."""
        ...

    def write(self, frame: bytes) -> None:
        """Send, or keep until it can be sent."""
        ...

    def close(self, code: int, reason: str) -> None:
        """Say farewell."""
        ...


def frame_of(message: object) -> bytes:
    """A message as a WebSocket's text frame: from a server nothing in it is the connection's own."""
    return Frame(Opcode.TEXT, encode(message)).serialize(mask=False)


def user_place(user: str) -> Place:
    """Where messages for a user go."""
    return Place("user", user)


def room_place(room: str) -> Place:
    """Where messages for a room go."""
    return Place("room", room)


class Client:
    """Somebody at the other end.

    Args:
        session: Who.
        code: The client's name for itself.
        line: What carries frames.
        pace: How fast it may ask.
        unsent: Bytes that may wait to be sent.
    """

    def __init__(
        self,
        session: Session,
        code: str,
        *,
        line: Line,
        pace: Pace,
        unsent: int,
        counters: Counters,
    ) -> None:
        self.session = session
        self.code = code
        self.pace = pace
        self.rooms: set[str] = set()
        #: Requests that came too fast, one after another.
        self.hurried = 0
        self.is_closing = False
        #: Answers that are waited for.
        self.waiting: set[asyncio.Task[None]] = set()
        self._line = line
        self._unsent = unsent
        self._is_warned = False
        self._counters = counters

    def __repr__(self) -> str:
        return (
            f"<Client {self.code or 'without a name'} of user {self.session.user}, {len(self.rooms)} rooms>"
        )

    @property
    def places(self) -> list[Place]:
        """Whose messages it gets."""
        return [user_place(self.session.user), *map(room_place, self.rooms)]

    def tell(self, message: object) -> None:
        """Send a message of its own."""
        self.send(frame_of(message))

    def send(self, frame: bytes) -> None:
        """Send a frame; a client that does not read is told, and closed when too much waits."""
        line = self._line
        if self.is_closing or not line.is_open:
            return
        line.write(frame)
        self._counters.sent += 1
        unsent = line.unsent
        if not unsent:
            self._is_warned = False
        elif unsent > self._unsent:
            self._counters.too_slow += 1
            self.close(TOO_SLOW, f"{unsent} bytes wait to be read: come again, and resume")
        elif unsent > self._unsent // 2 and not self._is_warned:
            self._is_warned = True
            content = {"unsent": unsent, "most": self._unsent}
            line.write(frame_of(Reply(route=SLOW, status=429, message="read faster", content=content)))

    def close(self, code: int, reason: str) -> None:
        """End the connection; nothing is sent any more."""
        if not self.is_closing:
            self.is_closing = True
            self._line.close(code, reason)
