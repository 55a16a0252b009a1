"""Errors of publish/subscribe and of the WebSocket gateway."""

from __future__ import annotations

from functools import partial

from penstock.errors.messaging import InvalidMessage, MessagingError, PersistentError

__all__ = ["BadChannel", "BadToken", "RequestRefused"]


class BadChannel(InvalidMessage):
    """No channel or pipe can be called so."""


class RequestRefused(PersistentError):
    """What a gateway's client asks for cannot be; the client is told, and nobody else.

    Raised by a gateway's own functions, or by the handler of a job that somebody waits for.
    """

    def __init__(self, message: str, *, status: int) -> None:
        super().__init__(message)
        #: As HTTP's: 400 and above is the client's mistake, 500 and above ours.
        self.status = status

    def __reduce__(self) -> tuple[partial[RequestRefused], tuple[str]]:
        # A handler may be in another process.
        return partial(RequestRefused, status=self.status), (str(self),)


class BadToken(MessagingError):
    """A session token that is not ours, was changed, or is over."""
