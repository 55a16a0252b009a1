"""A client's mistakes as AMQP tells them: a reply code, and whether the channel or the connection goes.

The one place where the wiring's errors become reply codes.
"""

from __future__ import annotations

from typing import Final

from penstock.errors import (
    AlreadyDifferent,
    BadConfiguration,
    BadPattern,
    ConstraintBroken,
    Locked,
    NotPermitted,
    PenstockError,
    StillUsed,
    UnknownDelivery,
    UnknownName,
    UnknownProxyClass,
)
from penstock.server.amqp.wording import SHORT_STRING, shortened
from penstock.wire.amqp.constants import ReplyCode

__all__ = ["ChannelFault", "fault_of", "precondition"]


class ChannelFault(PenstockError):
    """The client asked for what cannot be: told with a reply code, by closing its channel or connection."""

    def __init__(self, code: ReplyCode, detail: str) -> None:
        super().__init__(detail)
        self.code = code
        #: Short enough for a reply text, of which the code's name and a hyphen are a part.
        self.detail = shortened(detail, SHORT_STRING - len(code.text("")))


def precondition(detail: str) -> ChannelFault:
    """The most usual fault: 406."""
    return ChannelFault(ReplyCode.PRECONDITION_FAILED, detail)


#: From the special to the general: the first that fits says the code.
CODES: Final = (
    (NotPermitted, ReplyCode.ACCESS_REFUSED),
    (UnknownDelivery, ReplyCode.PRECONDITION_FAILED),
    (UnknownProxyClass, ReplyCode.COMMAND_INVALID),
    (UnknownName, ReplyCode.NOT_FOUND),
    (Locked, ReplyCode.RESOURCE_LOCKED),
    (ConstraintBroken, ReplyCode.ACCESS_REFUSED),
    (StillUsed, ReplyCode.PRECONDITION_FAILED),
    (AlreadyDifferent, ReplyCode.PRECONDITION_FAILED),
    (BadPattern, ReplyCode.PRECONDITION_FAILED),
    (BadConfiguration, ReplyCode.PRECONDITION_FAILED),
)


def fault_of(error: PenstockError) -> ChannelFault:
    """The fault that tells a client of an error it made."""
    if isinstance(error, ChannelFault):
        return error
    code = next((code for kind, code in CODES if isinstance(error, kind)), ReplyCode.INTERNAL_ERROR)
    return ChannelFault(code, str(error))
