from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from penstock.clock import VirtualClock
from penstock.server.amqp.desk import Desk
from penstock.server.amqp.errors import ChannelFault
from penstock.server.embedded import Embedded
from penstock.server.guard import Guard, Trusting
from penstock.server.permissions import Permission, Permissions
from penstock.settings import Settings
from penstock.wire.amqp.constants import ReplyCode
from penstock.wire.amqp.errors import CannotEncode
from penstock.wire.amqp.methods import QueueDeclare, QueueDeclareOk, QueuePurge
from penstock.wiring import Message

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from penstock.broker.host import VirtualHost

LIMITED = Permissions([Permission(user="eve", vhost="/", configure="^mine", write="", read="")])


def at_desk(guard: Guard, work: Callable[[Desk, VirtualHost], Any]) -> Any:
    """What becomes of some work at a desk of a broker's."""

    async def story() -> Any:
        embedded = await Embedded.start(Settings(amqp=()), clock=VirtualClock(1000.0))
        host = embedded.broker.hosts["/"]
        try:
            with Desk(embedded.front, host, guard) as desk:
                return work(desk, host)
        finally:
            await embedded.close()

    running: Coroutine[Any, Any, Any] = story()
    return asyncio.run(running)


def test_what_clients_do_is_done_and_answered() -> None:
    answer = at_desk(Guard(LIMITED, "eve", "/"), lambda desk, _: desk.do(QueueDeclare("mine")))
    assert answer == QueueDeclareOk("mine", 0, 0)


@pytest.mark.parametrize(
    ("method", "code"),
    [(QueueDeclare("yours"), ReplyCode.ACCESS_REFUSED), (QueuePurge("none"), ReplyCode.ACCESS_REFUSED)],
)
def test_what_a_client_may_not_nobody_may(method: Any, code: ReplyCode) -> None:
    with pytest.raises(ChannelFault) as caught:
        at_desk(Guard(LIMITED, "eve", "/"), lambda desk, _: desk.do(method))
    assert caught.value.code is code


def test_what_amqp_cannot_say_cannot_be_asked_for() -> None:
    with pytest.raises(CannotEncode):
        at_desk(Trusting(LIMITED, "eve", "/"), lambda desk, _: desk.do(QueueDeclare("x" * 256)))


def test_who_restores_a_broker_is_trusted() -> None:
    answer = at_desk(Trusting(LIMITED, "eve", "/"), lambda desk, _: desk.do(QueueDeclare("yours")))
    assert answer == QueueDeclareOk("yours", 0, 0)


def test_what_was_got_and_not_settled_goes_back() -> None:
    async def story() -> None:
        embedded = await Embedded.start(Settings(amqp=()), clock=VirtualClock(1000.0))
        host = embedded.broker.hosts["/"]
        with Desk(embedded.front, host, Trusting(LIMITED, "eve", "/")) as desk:
            desk.do(QueueDeclare("q"))
            host.wiring.publish("", [Message(b"x", "q")], 1000.0)
            queue = desk.queue("q")
            assert queue.get(desk.channel.ledger, 1000.0) is not None
            assert (queue.ready, queue.held) == (0, 1)
        assert (queue.ready, queue.held) == (1, 0)
        assert repr(desk) == "<Desk of 'eve' in '/'>"
        await embedded.close()

    asyncio.run(story())
