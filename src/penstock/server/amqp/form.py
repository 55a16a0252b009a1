"""AMQP messages in the store: their frames as they are, and beside them only their deaths."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.broker.forms import Written, read_deaths, write_deaths
from penstock.server.amqp.message import AmqpMessage, LargeMessage
from penstock.server.amqp.terms import read_terms
from penstock.wire.amqp import PublishArgs, properties_of

if TYPE_CHECKING:
    from penstock.server.amqp.bodies import LargeBodies
    from penstock.store import Found

__all__ = ["AmqpForm", "LargeAmqpForm"]


class AmqpForm:
    """How an AMQP message is written down and read back."""

    #: Never changes its meaning.
    number = 1
    message_type = AmqpMessage

    def write(self, message: AmqpMessage) -> Written:
        return Written(message.frames, write_deaths(message))

    def read(self, found: Found) -> AmqpMessage:
        content = properties_of(found.content)
        route = PublishArgs(found.proxy, found.destination)
        return AmqpMessage(route, content, found.content, read_terms(content), read_deaths(found.extra))


class LargeAmqpForm:
    """The same for one whose body is in a file."""

    #: Never changes its meaning.
    number = 2
    message_type = LargeMessage

    def __init__(self, bodies: LargeBodies) -> None:
        self._bodies = bodies

    def write(self, message: LargeMessage) -> Written:
        return Written(message.frames, write_deaths(message), message.large.keep())

    def read(self, found: Found) -> LargeMessage:
        content = properties_of(found.content)
        route = PublishArgs(found.proxy, found.destination)
        large = self._bodies.found(found.file or "", found.length)
        deaths = read_deaths(found.extra)
        return LargeMessage(route, content, found.content, read_terms(content), large, deaths)
