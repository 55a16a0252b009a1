"""Answers: JSON, and errors as statuses. Whoever asked is told what went wrong, never where in the code."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, Final

import msgspec
from starlette.exceptions import HTTPException
from starlette.responses import Response

from penstock import errors

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.requests import Request

__all__ = ["HANDLERS", "JSON_TYPE", "answer", "encoded", "refusal", "status_of"]

JSON_TYPE: Final = "application/json"
#: Seconds after which it is worth trying again when something is away.
RETRY_AFTER: Final = "5"
BAD: Final = 400
NOT_FOUND: Final = 404
FAULT: Final = 500
AWAY: Final = 503

#: The status of an error: that of the nearest class above it.
STATUSES: Final[Mapping[type[Exception], int]] = {
    errors.PenstockError: FAULT,
    errors.SidetreeError: BAD,
    errors.UnknownDid: NOT_FOUND,
    errors.UnknownVersion: NOT_FOUND,
    errors.NotAcceptable: BAD,
    errors.NotStorable: BAD,
    errors.BadHttpSignature: 401,
    errors.ContentNotFound: NOT_FOUND,
    errors.ContentTooLarge: 413,
    errors.BadWitnessPolicy: BAD,
    errors.Unavailable: AWAY,
    errors.QueueNotStarted: AWAY,
    errors.StoreError: AWAY,
    errors.ClientError: AWAY,
}

_log = logging.getLogger(__name__)
#: A JSON document as it is sent.
encoded: Final = msgspec.json.Encoder().encode


def answer(
    document: Any,
    *,
    status: int = 200,
    kind: str = JSON_TYPE,
    headers: Mapping[str, str] | None = None,
) -> Response:
    """A JSON document."""
    return Response(encoded(document), status, dict(headers or {}), kind)


def status_of(error: Exception) -> int:
    """What an error is over HTTP."""
    return next(STATUSES[kind] for kind in type(error).__mro__ if kind in STATUSES)


def refusal(error: Exception, status: int, *, is_theirs: bool = False) -> Response:
    """An answer that says what went wrong; what is our own fault is told in the log, not to others.

    Args:
        error: What went wrong.
        status: What that is over HTTP.
        is_theirs: Whether it is the trouble of who asks all the same, who would write our log.
    """
    if status >= FAULT and not is_theirs:
        _log.warning("a request could not be answered: %s: %s", type(error).__name__, error)
    told = "something that is needed here is away" if status == AWAY else "this domain made a mistake"
    document = {"error": type(error).__name__, "reason": told if status >= FAULT else str(error)}
    rule = getattr(error, "rule", None)
    if rule is not None:
        document["rule"] = rule
    return answer(document, status=status, headers={"Retry-After": RETRY_AFTER} if status == AWAY else None)


async def _known(request: Request, error: Exception) -> Response:
    return refusal(error, status_of(error))


async def _plain(request: Request, error: Exception) -> Response:
    """What the framework refuses, or an endpoint by its status alone."""
    if not isinstance(error, HTTPException):
        return refusal(error, FAULT)
    document = {"error": "HttpError", "reason": error.detail}
    return answer(document, status=error.status_code, headers=error.headers)


#: For the application; Starlette looks for the nearest class.
HANDLERS: Final[Mapping[Any, Any]] = {
    errors.PenstockError: _known,
    HTTPException: _plain,
    Exception: _plain,
}
