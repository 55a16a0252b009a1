"""The channel class, and the one relic of the access class that clients still send.

Declarations only: `base.py` says how they are read.
"""

from typing import ClassVar

from penstock.wire.amqp.fields import Bit, LongStr, Short, ShortStr
from penstock.wire.amqp.methods.base import BOTH, CLIENT, SERVER, Method, method

__all__ = [
    "AccessRequest",
    "AccessRequestOk",
    "ChannelClose",
    "ChannelCloseOk",
    "ChannelFlow",
    "ChannelFlowOk",
    "ChannelOpen",
    "ChannelOpenOk",
]


@method(20, 10, "channel.open", SERVER)
class ChannelOpen(Method):
    """Opens the channel it travels on."""

    out_of_band: ClassVar[ShortStr] = ""


@method(20, 11, "channel.open-ok", CLIENT)
class ChannelOpenOk(Method):
    """Open."""

    channel_id: ClassVar[LongStr] = b""


@method(20, 20, "channel.flow", BOTH)
class ChannelFlow(Method):
    """Asks the peer to pause or go on with content."""

    active: Bit = False


@method(20, 21, "channel.flow-ok", BOTH)
class ChannelFlowOk(Method):
    """It does."""

    active: Bit = False


@method(20, 40, "channel.close", BOTH)
class ChannelClose(Method):
    """Ends the channel, with its reason and the method that gave it."""

    reply_code: Short
    reply_text: ShortStr
    class_id: Short
    method_id: Short


@method(20, 41, "channel.close-ok", BOTH)
class ChannelCloseOk(Method):
    """Heard; the number is free again."""


@method(30, 10, "access.request", SERVER)
class AccessRequest(Method):
    """A relic of 0-8 that some clients still send; RabbitMQ grants it always."""

    realm: ShortStr = "/data"
    exclusive: Bit = False
    passive: Bit = True
    active: Bit = True
    write: Bit = True
    read: Bit = True


@method(30, 11, "access.request-ok", CLIENT)
class AccessRequestOk(Method):
    """Granted; nobody looks at the ticket."""

    ticket: Short = 1
