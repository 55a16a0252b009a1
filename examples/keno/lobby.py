"""The lobby, over HTTP: the page, captchas, and how an empire is founded or comes back.

Whoever is let in gets a token, and plays over WebSocket from then on.
"""

from __future__ import annotations

import asyncio
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeVar

import msgspec
from msgspec import Meta, Struct
from starlette.applications import Starlette
from starlette.responses import Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from examples.keno.captchas import GENERATE, QUEUE, answer_captcha, hand_out, image_of
from examples.keno.empires import Empire, found_empire, known_empire
from penstock.errors import ClientError, JobFailed, RequestRefused

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from starlette.requests import Request

    from examples.keno.game import Game
    from penstock.workers import Jobs
    from penstock.workers.gateway import SessionTokens

    Handler = Callable[[Request], Awaitable[Response]]

__all__ = ["Lobby"]

PAGE: Final = Path(__file__).parent / "page"
#: Bytes of a request; names and passwords are short.
LARGEST: Final = 4096
#: Seconds that somebody waits for a captcha when none is ready.
PATIENCE: Final = 10.0
#: Nothing but the page's own files, and the gateways.
HEADERS: Final = {
    "Content-Security-Policy": "default-src 'self'; connect-src 'self' ws: wss:; img-src 'self' data:",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}

T = TypeVar("T")
Short = Annotated[str, Meta(max_length=200)]


class Login(Struct, frozen=True):
    """The body of POST /sessions."""

    name: Short
    password: Short


class SignUp(Login, frozen=True):
    """The body of POST /empires."""

    captcha_id: Short
    answer: Short


class Lobby:
    """The application that a web server serves.

    Args:
        game: Whose empires are let in.
        tokens: What they prove it with at the gateways.
        jobs: Where a captcha is asked for when none is ready.
        gateways: Their URLs, as browsers reach them.
    """

    def __init__(self, game: Game, tokens: SessionTokens, jobs: Jobs, gateways: Sequence[str]) -> None:
        self._game = game
        self._tokens = tokens
        self._jobs = jobs
        self._gateways = list(gateways)
        self.application = Starlette(
            routes=[
                Route("/captchas", _guarded(self.captcha), methods=["POST"]),
                Route("/captchas/{captcha_id}.png", _guarded(self.image)),
                Route("/empires", _guarded(self.sign_up), methods=["POST"]),
                Route("/sessions", _guarded(self.log_in), methods=["POST"]),
                Route("/penstock.js", _guarded(self.module)),
                Mount("/", _Files(directory=PAGE, html=True)),
            ],
        )

    async def captcha(self, _request: Request) -> Response:
        """A captcha that nobody has seen."""
        found = await asyncio.to_thread(hand_out, self._game)
        if found is None:
            # They are prepared as they are used: the very first has to be waited for.
            try:
                await self._jobs.call(QUEUE, GENERATE, timeout=PATIENCE)
            except (ClientError, JobFailed) as exc:
                raise RequestRefused("no captcha is ready: try again", status=503) from exc
            found = await asyncio.to_thread(hand_out, self._game)
        if found is None:
            raise RequestRefused("no captcha is ready: try again", status=503)
        return _reply(201, {"captcha_id": found, "image": f"/captchas/{found}.png"})

    async def image(self, request: Request) -> Response:
        """Its picture."""
        found = await asyncio.to_thread(image_of, self._game, request.path_params["captcha_id"])
        if found is None:
            raise RequestRefused("there is no such captcha", status=404)
        return Response(found, media_type="image/png", headers={**HEADERS, "Cache-Control": "no-store"})

    async def sign_up(self, request: Request) -> Response:
        """Found an empire."""
        asked = await _read(request, SignUp)
        await asyncio.to_thread(answer_captcha, self._game, asked.captcha_id, asked.answer)
        empire = await asyncio.to_thread(found_empire, self._game, asked.name, asked.password)
        return _reply(201, self._welcome(empire))

    async def log_in(self, request: Request) -> Response:
        """Come back."""
        asked = await _read(request, Login)
        empire = await asyncio.to_thread(known_empire, self._game, asked.name, asked.password)
        return _reply(200, self._welcome(empire))

    async def module(self, _request: Request) -> Response:
        """The gateways' client for browsers."""
        content = files("penstock.workers.gateway").joinpath("penstock.js").read_bytes()
        return Response(content, media_type="text/javascript", headers=HEADERS)

    def _welcome(self, empire: Empire) -> dict[str, Any]:
        token = self._tokens.issue(empire.empire_id)
        told = {"empire_id": empire.empire_id, "name": empire.name, "token": token}
        return {**told, "gateways": self._gateways}


class _Files(StaticFiles):
    """The page's files."""

    def file_response(self, *found: Any, **more: Any) -> Response:
        response = super().file_response(*found, **more)
        response.headers.update(HEADERS)
        return response


def _guarded(handler: Handler) -> Handler:
    """What is refused is told."""

    async def guarded(request: Request) -> Response:
        try:
            return await handler(request)
        except RequestRefused as refused:
            return _reply(refused.status, {"error": "refused", "reason": str(refused)})

    return guarded


async def _read(request: Request, kind: type[T]) -> T:
    body = bytearray()
    async for piece in request.stream():
        body += piece
        if len(body) > LARGEST:
            raise RequestRefused(f"a request has at most {LARGEST} bytes", status=413)
    try:
        return msgspec.json.decode(body, type=kind)
    except (msgspec.DecodeError, UnicodeError) as exc:
        raise RequestRefused(f"that is not asked like that: {exc}", status=400) from exc


def _reply(status: int, content: Any) -> Response:
    headers = {**HEADERS, "Cache-Control": "no-store"}
    return Response(msgspec.json.encode(content), status, headers, media_type="application/json")
