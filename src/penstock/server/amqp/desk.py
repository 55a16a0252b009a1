"""Desk: a channel with nobody at the other end of a socket, for whoever in this process does what clients do.

The verbs are AMQP's own, with their checks and their words: what is declared here and what a client declares
cannot come to differ.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from penstock.errors import PenstockError
from penstock.server.amqp.channel import Channel
from penstock.server.amqp.errors import fault_of
from penstock.server.amqp.session import AmqpSession
from penstock.server.amqp.verbs import VERBS
from penstock.wire.amqp import method_frame

if TYPE_CHECKING:
    from penstock.broker.host import VirtualHost
    from penstock.server.amqp.front import AmqpFront
    from penstock.server.guard import Guard
    from penstock.wire.amqp.methods import Method
    from penstock.wiring import Queue

__all__ = ["Desk"]


class Desk:
    """One user's, in one virtual host. Use it with `with`: what was got and not settled goes back."""

    def __init__(self, front: AmqpFront, host: VirtualHost, guard: Guard) -> None:
        session = AmqpSession(front)
        session.host = host
        session.guard = guard
        session.name, session.user_name = "here", guard.user
        session.connection = host.wiring.connect(session.name)
        self.channel = Channel(session, 1)
        self._session = session

    def __repr__(self) -> str:
        return f"<Desk of {self._session.user_name!r} in {self.channel.host.name!r}>"

    def __enter__(self) -> Self:
        self._session.broker.refresh()
        return self

    def __exit__(self, *_: object) -> None:
        session, host = self._session, self.channel.host
        self.channel.is_open = False
        host.wiring.disconnect(session.connection, session.broker.now, failed=False)
        host.clear_away()
        session.broker.turn()

    def do(self, method: Method) -> Method | None:
        """Do what a method asks for; the answer.

        Raises:
            CannotEncode: a name or a value is none that AMQP has.
            ChannelFault: it cannot be, or may not.
        """
        # What cannot be said in AMQP, as a name of a thousand letters, cannot be asked for here either.
        method_frame(self.channel.number, method)
        try:
            return VERBS[type(method)](self.channel, method)
        except PenstockError as error:
            raise fault_of(error) from error

    def queue(self, name: str) -> Queue:
        """A queue.

        Raises:
            ChannelFault: there is none, or it is a connection's own.
        """
        return self.channel.queue(name)
