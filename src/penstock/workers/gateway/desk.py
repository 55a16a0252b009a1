"""What clients ask for, and what they are told: sessions, rooms, and requests that become jobs."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, Final
from uuid import uuid4

import msgspec

from penstock.errors import BadToken, ClientError, RequestRefused
from penstock.messaging import Message
from penstock.messaging.tracing import within
from penstock.workers.gateway.asking import Asker
from penstock.workers.gateway.envelope import Reply, Request, Room, encode
from penstock.workers.gateway.policy import asked
from penstock.workers.gateway.settings import REPLIES
from penstock.workers.queues import DEFAULT_PRIORITY, amqp_priority

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from penstock.workers.gateway.client import Client
    from penstock.workers.gateway.clients import Clients
    from penstock.workers.gateway.counters import Counters
    from penstock.workers.gateway.history import History
    from penstock.workers.gateway.policy import ClientRoute, Policy
    from penstock.workers.gateway.session import Session
    from penstock.workers.gateway.settings import Limits
    from penstock.workers.jobs import Jobs

__all__ = ["OPEN", "Desk", "Opening"]

log = logging.getLogger(__name__)

OPEN: Final = "/session/open"
JOIN: Final = "/room/join"
LEAVE: Final = "/room/leave"


class Opening(msgspec.Struct, frozen=True):
    """The content of /session/open."""

    token: str
    #: The last message that the client has seen, if it was here before.
    mark: str = ""
    #: And the rooms it was in.
    rooms: tuple[Room, ...] = ()


class _Job(msgspec.Struct, frozen=True):
    """A request as workers get it: Keno Antigen's form, and what the client said besides."""

    route: str
    user_id: int | str
    content: msgspec.Raw
    room: str
    msgId: str | int | None  # noqa: N815  the client's word
    clientCode: str  # noqa: N815  likewise


class Desk:
    """Where requests are dealt with. Raises RequestRefused for what cannot be; the client is told that."""

    def __init__(
        self,
        policy: Policy,
        jobs: Jobs,
        *,
        clients: Clients,
        history: History,
        limits: Limits,
        counters: Counters,
    ) -> None:
        self._policy = policy
        self._jobs = jobs
        self._clients = clients
        self._history = history
        self._limits = limits
        self._counters = counters
        self._verbs: dict[str, Callable[[Client, Request], Awaitable[Reply]]] = {
            OPEN: self._open_again,
            JOIN: self._join,
            LEAVE: self._leave,
        }

    def __repr__(self) -> str:
        return f"<Desk with {len(self._policy.routes)} routes>"

    # Sessions

    async def let_in(self, request: Request) -> tuple[Session, Opening]:
        """Who wants to come in.

        Raises:
            RequestRefused: whoever it is does not.
        """
        if request.route != OPEN:
            raise RequestRefused(f"open a session first: {OPEN} with a token", status=401)
        try:
            opening = msgspec.json.decode(request.content, type=Opening)
        except (msgspec.DecodeError, UnicodeError) as exc:
            raise RequestRefused(f"{OPEN} wants a token: {exc}", status=400) from exc
        try:
            session = await asked(self._policy.check_token(opening.token))
        except BadToken as exc:
            raise RequestRefused(str(exc), status=401) from exc
        if len(self._clients.of_user(session.user)) >= self._limits.connections_of_a_user:
            raise RequestRefused("the user has too many connections", status=429)
        return session, opening

    async def rooms_of(self, session: Session, opening: Opening) -> dict[str, int]:
        """What becomes of the rooms that a client was in: 200, or why it may not be."""
        found: dict[str, int] = {}
        for room in opening.rooms:
            try:
                await self._demand_room(session, room, len(found))
            except RequestRefused as refused:
                found[room] = refused.status
            else:
                found[room] = 200
        return found

    def open(self, client: Client, request: Request, opening: Opening, rooms: dict[str, int]) -> None:
        """Have the client among us, and send it what it has missed. Nothing can come in between."""
        client.rooms.update(room for room, status in rooms.items() if status == 200)  # noqa: PLR2004  as HTTP's
        self._clients.add(client)
        self._counters.opened += 1
        user_id, mark = client.session.user_id, self._history.mark
        content: dict[str, Any] = {"user_id": user_id, "mark": mark, "rooms": rooms}
        if not opening.mark:
            client.tell(Reply.to(request, 200, content={**content, "resumed": "new"}))
            return
        missed = self._history.since(opening.mark, client.places, client.code)
        self._counters.resumed += 1
        self._counters.gaps += not missed.is_whole
        content |= {"resumed": "whole" if missed.is_whole else "gap", "missed": len(missed.kept)}
        # Until the last of them is there, the client's mark is the old one.
        client.tell(Reply.to(request, 200, content=content | {"mark": opening.mark}))
        for kept in missed.kept:
            client.send(kept.frame)

    # Requests

    def waits(self, request: Request) -> bool:
        """Whether dealing with it may take a while."""
        route = self._policy.routes.get(request.route)
        return route is not None and route.waits

    async def deal_with(self, client: Client, request: Request) -> Reply:
        """Do what a client asks for; what it is told.

        Raises:
            RequestRefused: it cannot be.
        """
        verb = self._verbs.get(request.route)
        if verb is not None:
            return await verb(client, request)
        route = self._policy.routes.get(request.route)
        if route is None:
            raise RequestRefused(f"there is no route {request.route!r} for clients", status=404)
        if request.room and request.room not in client.rooms:
            raise RequestRefused(f"join the room {request.room!r} first", status=404)
        with within(request.trace):
            return await self._answer(client, request, route)

    async def _answer(self, client: Client, request: Request, route: ClientRoute) -> Reply:
        found = None if route.answer is None else await asked(route.answer(client.session, request))
        if found is not None or route.queue is None:
            return Reply.to(request, 200, content=found)
        await self._put(client, request, route.queue)
        return Reply.to(request, 202, message="a worker has it")

    async def _put(self, client: Client, request: Request, queue: str) -> None:
        code, user_id = client.code, client.session.user_id
        job_id = Asker.of(user_id, code, request.msg_id, uuid4().hex).job_id
        job = _Job(request.route, user_id, request.content, request.room, request.msg_id, code)
        message = Message(
            body=encode(job),
            id=job_id,
            correlation_id=job_id,
            reply_to=REPLIES,
            priority=amqp_priority(DEFAULT_PRIORITY),
        )
        try:
            await self._jobs.send(queue, message)
        except ClientError as exc:
            log.warning("a request for %s could not be put on %s: %s", request.route, queue, exc)
            raise RequestRefused("the broker cannot take it now: try again", status=503) from exc

    # Rooms

    async def _join(self, client: Client, request: Request) -> Reply:
        if request.room not in client.rooms:
            await self._demand_room(client.session, request.room, len(client.rooms))
            if not client.is_closing:
                self._clients.join(client, request.room)
        return Reply.to(request, 200, content={"mark": self._history.mark})

    async def _leave(self, client: Client, request: Request) -> Reply:
        self._clients.leave(client, request.room)
        return Reply.to(request, 200)

    async def _demand_room(self, session: Session, room: str, joined: int) -> None:
        if not room:
            raise RequestRefused("which room?", status=400)
        if joined >= self._limits.rooms:
            raise RequestRefused(f"a client is in {self._limits.rooms} rooms at most", status=429)
        if not await asked(self._policy.may_join(session, room)):
            # Whether there is such a room is nobody's business who may not join it.
            raise RequestRefused(f"there is no room {room!r} for you", status=404)

    async def _open_again(self, client: Client, request: Request) -> Reply:
        raise RequestRefused("the session is open already", status=409)
