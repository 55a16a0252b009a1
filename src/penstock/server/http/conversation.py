"""A conversation in HTTP: one request after the other, each heard, judged and answered, within limits.

Who asks is known before what is asked is read. A peer's mistake is answered with a sentence; our own is
logged, and costs the others nothing.
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import aclosing
from typing import TYPE_CHECKING, Any, Final

import h11

from penstock import __version__
from penstock.errors import PenstockError
from penstock.server.http.chunk import Chunk
from penstock.server.http.entering import enter, identify
from penstock.server.http.replies import HttpFault, Reply, fault_of, refusal, text_reply
from penstock.server.http.request import Request
from penstock.server.http.routes import find
from penstock.server.http.visit import Visit

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from penstock.server.http.session import HttpSession

__all__ = ["HEAD_MOST", "Conversation"]

log = logging.getLogger(__name__)

#: Bytes of a request's line and headers. nginx: 8 KiB a line, 32 KiB in all.
HEAD_MOST: Final = 16 * 1024
#: Seconds until the next request's head is there. nginx: 75.
IDLE_IN: Final = 75.0
#: Seconds for the rest of it, and for what has to be done before the answer begins.
REQUEST_IN: Final = 60.0

WELCOME: Final = f"""\
This is a Penstock broker, version {__version__}, on its AMQP 0-9-1 port.

Clients connect with amqp:// or amqps://. What HTTP is for here: reading queues as tables, and writing them.
See docs/reference/http.md.
"""


class Conversation:
    """What is said on one connection."""

    def __init__(self, session: HttpSession) -> None:
        self._session = session
        self._is_busy = False
        self._is_ending = False

    def __repr__(self) -> str:
        return f"<Conversation {'in an answer' if self._is_busy else 'idle'}>"

    def end(self) -> None:
        """Nothing new begins."""
        self._is_ending = True
        if not self._is_busy:
            self._session.hang_up()

    async def run(self) -> None:
        """Answer requests until the peer or the broker has had enough."""
        session = self._session
        idle_in = session.front.settings.handshake_timeout
        try:
            while await self._serve(idle_in):
                if self._is_ending:
                    session.hang_up()
                    return
                session.http.start_next_cycle()
                idle_in = IDLE_IN
        except TimeoutError:
            log.info("closing %s: nothing asked, or nothing taken, in time", session.name)
            session.transport.abort()
        except Exception:
            # A mistake of ours, and half of the answer is out.
            log.exception("internal error in %r", session)
            session.transport.abort()

    async def _serve(self, idle_in: float) -> bool:
        """One request and its answer; whether another may follow."""
        request: Request | None = None
        try:
            async with asyncio.timeout(idle_in):
                head = await self._session.event()
            if not isinstance(head, h11.Request):
                self._session.hang_up()
                return False
            self._is_busy = True
            request = Request.of(head)
            reply = await self._reply(request)
        except h11.RemoteProtocolError as exc:
            fault = HttpFault(exc.error_status_hint, f"this is no HTTP that the broker reads: {exc}")
            reply = refusal(fault)
        except PenstockError as error:
            reply = refusal(fault_of(error))
        except TimeoutError:
            raise
        except Exception:
            # Our own mistake, never the client's: it must not take the others down.
            log.exception("internal error in %r", self._session)
            reply = refusal(HttpFault(500, "internal error; the broker's log says more"))
        try:
            return await self._send(reply, has_body=request is None or request.verb != "HEAD")
        finally:
            self._is_busy = False

    # Hearing

    async def _reply(self, request: Request) -> Reply:
        """What a request is answered with.

        Raises:
            PenstockError, h11.RemoteProtocolError: it is refused.
        """
        if request.path == ("",) and request.verb in {"GET", "HEAD"}:
            return text_reply(WELCOME)
        session, front = self._session, self._session.front
        try:
            async with asyncio.timeout(REQUEST_IN):
                route, names = find(request.verb, request.path)
                user = await identify(front.access, request.headers.get("authorization"), session.peer)
                host, guard = enter(front, user, names.pop(0))
                request.body = await self._body(request, route.body_most)
                front.broker.refresh()
                visit = Visit(front=front, host=host, guard=guard, user=user, request=request)
                return await route.handler(visit, *names)
        except TimeoutError as exc:
            raise HttpFault(503, f"not done within {REQUEST_IN:.0f} seconds") from exc

    async def _body(self, request: Request, most: int) -> bytes:
        session = self._session
        if request.says_size > most:
            raise _too_much(most)
        if session.http.they_are_waiting_for_100_continue:
            await session.send(h11.InformationalResponse(status_code=100, headers=[]))
        parts: list[bytes] = []
        size = 0
        while not isinstance(event := await session.event(), h11.EndOfMessage):
            size += len(event.data)
            if size > most:
                raise _too_much(most)
            parts.append(bytes(event.data))
        return b"".join(parts)

    # Answering

    async def _send(self, reply: Reply, *, has_body: bool) -> bool:
        """Send an answer; whether the connection lives on."""
        http: Any = self._session.http
        is_heard = self._is_heard()
        headers = [("Content-Type", reply.kind), *reply.headers]
        if not is_heard or self._is_ending:
            headers.append(("Connection", "close"))
        if reply.stream is not None and has_body:
            is_whole = await self._send_stream(reply, headers, reply.stream)
        else:
            is_whole = await self._send_whole(reply, headers, has_body=has_body)
        if not is_heard:
            self._session.linger()
        elif http.our_state is not h11.DONE:
            self._session.hang_up()
        return is_whole and is_heard and http.our_state is h11.DONE

    def _is_heard(self) -> bool:
        """Whether all of the request is there; what a peer has not finished saying, nobody waits for."""
        http: Any = self._session.http
        try:
            while http.their_state is h11.SEND_BODY and http.next_event() is not h11.NEED_DATA:
                pass
        except h11.RemoteProtocolError:
            return False
        return http.their_state in {h11.DONE, h11.MUST_CLOSE}

    async def _send_whole(self, reply: Reply, headers: list[Any], *, has_body: bool) -> bool:
        headers.append(("Content-Length", str(len(reply.body))))
        body = [h11.Data(data=reply.body)] if has_body and reply.body else []
        head = h11.Response(status_code=reply.status, headers=headers)
        await self._session.send(head, *body, h11.EndOfMessage())
        return True

    async def _send_stream(self, reply: Reply, headers: list[Any], stream: AsyncGenerator[list[Any]]) -> bool:
        head: h11.Response | None = h11.Response(status_code=reply.status, headers=headers)
        async with aclosing(stream):
            try:
                async for pieces in stream:
                    # The head waits for the first pieces: who cannot make them has another answer.
                    heads = [head] if head is not None else []
                    head = None
                    await self._session.send(*heads, h11.Data(data=Chunk(pieces)))  # type: ignore[arg-type]
            except PenstockError as error:
                if head is not None:
                    refused = refusal(fault_of(error))
                    return await self._send_whole(refused, [("Content-Type", refused.kind)], has_body=True)
                log.error("breaking off an answer to %s: %s", self._session.name, error)  # noqa: TRY400 (says it all)
                self._session.transport.abort()
                return False
        await self._session.send(h11.EndOfMessage())
        return True


def _too_much(most: int) -> HttpFault:
    return HttpFault(413, f"at most {most} bytes in one request: send less at a time", kind="PublishRefused")
