"""Reading requests: bodies bounded in bytes and in time, and numbers in queries."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from penstock.did.web.answers import BAD

if TYPE_CHECKING:
    from starlette.requests import Request

    from penstock.did.web.room import Share

__all__ = ["page_number", "read_body", "whole_number"]

#: Seconds in which a body must be here.
BODY_IN: Final = 30.0
TOO_LARGE: Final = 413
TOO_SLOW: Final = 408
#: Digits of a number that could mean something.
DIGITS: Final = 12


async def read_body(request: Request, limit: int, share: Share | None = None) -> bytes:
    """The body of a request.

    Args:
        request: Whose.
        limit: Bytes that it may have.
        share: In which it has room as long as it is needed; small ones need none.

    Raises:
        HTTPException: it has more bytes, or does not come, or there is no room for it.
    """
    too_large = HTTPException(TOO_LARGE, f"a request here has {limit} bytes at most")
    told = whole_number(request.headers.get("content-length", "0"), "Content-Length")
    if told > limit:
        raise too_large
    body = bytearray()
    try:
        async with asyncio.timeout(BODY_IN):
            async for piece in request.stream():
                body += piece
                if len(body) > limit:
                    raise too_large
                if share is not None:
                    share.take(len(piece))
    except TimeoutError:
        raise HTTPException(TOO_SLOW, f"the body did not come in {BODY_IN:g} seconds") from None
    except ClientDisconnect:
        # Nobody reads this; but it is not this domain's fault, and no reason for a line in the log.
        raise HTTPException(BAD, "the body broke off") from None
    return bytes(body)


def whole_number(text: str, what: str) -> int:
    """A number that somebody wrote.

    Raises:
        HTTPException: it is none.
    """
    if not (text.isascii() and text.isdigit() and len(text) <= DIGITS):
        raise HTTPException(BAD, f"{what} is no whole number: {text[:20]!r}")
    return int(text)


def page_number(request: Request, first: int) -> int | None:
    """Which page of a collection is asked for; None if it is the collection itself, without entries.

    Args:
        request: Who asks.
        first: The page to begin with, which is meant if none is named.

    Raises:
        HTTPException: it is no number.
    """
    if request.query_params.get("page") != "true":
        return None
    told = request.query_params.get("page-num")
    return first if told is None else whole_number(told, "page-num")
