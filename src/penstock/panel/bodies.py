"""Reading what a request brings: bounded in bytes and in time, and converted to what its route takes."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Final

import msgspec
from starlette.requests import ClientDisconnect

from penstock.panel.replies import ApiFault

if TYPE_CHECKING:
    from starlette.requests import Request

    from penstock.panel.routes import Route

__all__ = ["convert", "read_body"]

#: Seconds in which a body must be here.
BODY_IN: Final = 30.0


async def read_body(request: Request, most: int) -> bytes:
    """The body of a request.

    Raises:
        ApiFault: it has more than `most` bytes, or does not come.
    """
    body = bytearray()
    try:
        async with asyncio.timeout(BODY_IN):
            async for piece in request.stream():
                body += piece
                if len(body) > most:
                    raise ApiFault(413, f"a request here has {most} bytes at most")
    except TimeoutError:
        raise ApiFault(408, f"the body did not come in {BODY_IN:g} seconds") from None
    except ClientDisconnect:
        # Nobody reads this; but it is not our fault, and no reason for a line in the log.
        raise ApiFault(400, "the body broke off") from None
    return bytes(body)


def convert(body: bytes, route: Route) -> Any:
    """The body as the route takes it.

    Raises:
        ApiFault: 400, it is no JSON, or not what is asked for.
    """
    if route.body is None or route.body is bytes:
        return body
    try:
        # RabbitMQ takes nothing for an empty object, and "true" for true: rabbitmqadmin sends so.
        return msgspec.json.decode(body or b"{}", type=route.body, strict=False)
    except msgspec.ValidationError as wrong:
        raise ApiFault(400, f"the body is not what is asked for: {wrong}") from wrong
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as wrong:
        raise ApiFault(400, f"the body is no JSON: {wrong}") from wrong
