"""What the application decides: who comes in, what clients may ask for, and which rooms they may join.

Nothing is allowed that is not named here.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

import msgspec

from penstock.workers.gateway.envelope import Request
from penstock.workers.gateway.session import Session

__all__ = ["ClientRoute", "Policy", "asked", "content_of", "open_rooms"]

T = TypeVar("T")

#: The session that a token proves; raises BadToken for one that proves none.
CheckToken = Callable[[str], Session | Awaitable[Session]]
#: Whether a user may join a room.
MayJoin = Callable[[Session, str], bool | Awaitable[bool]]
#: What the gateway answers by itself, such as from a cache; None if that is the worker's business. Raises
#: RequestRefused for what makes no sense.
Answer = Callable[[Session, Request], Any | Awaitable[Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientRoute:
    """What becomes of requests for one route."""

    #: Where they become jobs; none, if the gateway answers them all.
    queue: str | None = None
    #: Who is asked first.
    answer: Answer | None = None
    #: Whether the answer may take a while, as from a cache that has to be filled: the client's further
    #: requests are dealt with meanwhile. One whose connection is lost before asks again when it is back.
    waits: bool = False


def _nobody(_session: Session, _room: str) -> bool:
    return False


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """The application's decisions."""

    check_token: CheckToken
    routes: Mapping[str, ClientRoute] = field(default_factory=dict)
    may_join: MayJoin = _nobody

    @property
    def queues(self) -> list[str]:
        """The queues that clients' requests go to."""
        return list(dict.fromkeys(each.queue for each in self.routes.values() if each.queue is not None))


def open_rooms(patterns: Iterable[str]) -> MayJoin:
    """Rooms that everybody may join who was let in: by name, or by how they begin with a * at the end."""
    named = frozenset(patterns)
    beginnings = tuple(each[:-1] for each in named if each.endswith("*"))

    def may_join(_session: Session, room: str) -> bool:
        return room.startswith(beginnings) or (room in named and not room.endswith("*"))

    return may_join


async def asked(answer: T | Awaitable[T]) -> T:
    """The answer of a function that may be plain or async."""
    return await answer if inspect.isawaitable(answer) else answer


def content_of(request: Request) -> Any:
    """The content of a request, for an `answer`."""
    return msgspec.json.decode(request.content)
