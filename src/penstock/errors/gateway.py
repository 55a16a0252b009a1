"""Errors of publish/subscribe and of the WebSocket gateway."""

from __future__ import annotations

from penstock.errors.messaging import InvalidMessage, MessagingError

__all__ = ["BadChannel", "BadToken", "RequestRefused"]


class BadChannel(InvalidMessage):
    """No channel or pipe can be called so."""


class RequestRefused(MessagingError):
    """What a gateway's client asks for cannot be; the client is told, and nobody else."""

    def __init__(self, message: str, *, status: int) -> None:
        super().__init__(message)
        #: As HTTP's: 400 and above is the client's mistake, 500 and above ours.
        self.status = status


class BadToken(MessagingError):
    """A session token that is not ours, was changed, or is over."""
