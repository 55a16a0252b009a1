"""The shortcut for operations: they are what comes by the thousand, and go past the framework's layers.

Measured with bench/did_intake.py: routing and three layers of error handling are a seventh of what an
operation costs the process that takes it in. The answers are the same (tests/did/web/test_express.py).
What no page could answer is refused here, too, before any of them is asked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request

from penstock.did.activities.directory import CAS, OPERATIONS
from penstock.did.web.answers import BAD, HANDLERS
from penstock.errors import PenstockError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from starlette.responses import Response
    from starlette.routing import Route
    from starlette.types import Receive, Scope, Send

    Page = Callable[[Request], Awaitable[Response]]

__all__ = ["Express"]

#: What clients of DIDs in browsers ask for, from pages of any host. Nothing here knows who asks by what a
#: browser adds for itself; what only the operator may do is not among it.
FROM_ANYWHERE: Final = ("/sidetree/v1/", "/.well-known/", "/scid/", f"{CAS}/", "/vc/")
#: Seconds for which a browser need not ask again whether it may.
MAX_AGE: Final = 86_400


class Express(Starlette):
    """An application whose operations have a way of their own."""

    def __init__(self, routes: Sequence[Route], post_operation: Page) -> None:
        """An application with these routes.

        Args:
            routes: Of all pages; the one for operations is among them, for whoever asks by another method.
            post_operation: Takes an operation in.
        """
        super().__init__(routes=routes, exception_handlers=HANDLERS)
        # A redirection would lead to whatever host the request names.
        self.router.redirect_slashes = False
        self._post_operation = post_operation
        self._from_anywhere = CORSMiddleware(
            self._answer,
            allow_origins=["*"],
            allow_methods=["GET", "POST"],
            allow_headers=["*"],
            expose_headers=["Retry-After"],
            max_age=MAX_AGE,
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        is_open = scope["type"] == "http" and _is_open(scope)
        await (self._from_anywhere if is_open else self._answer)(scope, receive, send)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["path"] == OPERATIONS and scope["method"] == "POST":
            await self._post(scope, receive, send)
        elif scope["type"] == "http" and _has_nul(scope):
            refused = await self._refused(Request(scope), HTTPException(BAD, "no name has the letter U+0000"))
            await refused(scope, receive, send)
        else:
            await super().__call__(scope, receive, send)

    async def _post(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        try:
            answer = await self._post_operation(request)
        except (PenstockError, HTTPException) as exc:
            answer = await self._refused(request, exc)
        except Exception as exc:
            await (await self._refused(request, exc))(scope, receive, send)
            # As the framework does it: for the server's log, after the answer.
            raise
        await answer(scope, receive, send)

    async def _refused(self, request: Request, error: Exception) -> Response:
        handler: Any = next(HANDLERS[kind] for kind in type(error).__mro__ if kind in HANDLERS)
        answer: Response = await handler(request, error)
        return answer


def _is_open(scope: Scope) -> bool:
    """Whether pages of other hosts may see the answer. One to a GET says so to caches, whoever asked."""
    if not scope["path"].startswith(FROM_ANYWHERE):
        return False
    return scope["method"] != "POST" or any(name == b"origin" for name, _ in scope["headers"])


def _has_nul(scope: Scope) -> bool:
    """Whether something is asked for that no database could look for: PostgreSQL has no text like that."""
    return "\0" in scope["path"] or b"%00" in scope["query_string"]
