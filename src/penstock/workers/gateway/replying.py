"""The queue fg_websocket: what is put there once reaches the clients of every gateway.

Workers' replies come here. All gateways take from it, and whichever has one publishes it on the channel that
all of them hear: so no reply is lost with a gateway, and a client gets it wherever it has gone meanwhile.
"""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Final
from uuid import uuid4

from penstock.clock import sleep
from penstock.errors import ClientError, InvalidMessage, PublishLost
from penstock.messaging import Destination, Message
from penstock.workers.gateway.asking import fanned_reply
from penstock.workers.gateway.envelope import encode
from penstock.workers.gateway.settings import REPLIES, WEBSOCKET

if TYPE_CHECKING:
    from collections.abc import Sequence

    from penstock.errors import PublishError
    from penstock.messaging import Received, Subscribed
    from penstock.messaging.amqp import AmqpBroker

__all__ = ["Replying"]

log = logging.getLogger(__name__)

#: Replies in hand.
PREFETCH: Final = 500
#: Seconds until the next try.
AGAIN_IN: Final = 0.5


class Replying:
    """Takes from the queue and publishes on the channel, until it is stopped."""

    def __init__(self, broker: AmqpBroker) -> None:
        self._broker = broker
        self._waiting: list[Received] = []
        self._has_come = asyncio.Event()
        self._subscribed: Subscribed | None = None
        self._working: asyncio.Task[None] | None = None

    def __repr__(self) -> str:
        return f"<Replying, {len(self._waiting)} waiting>"

    async def start(self) -> None:
        """Begin; the queue and the channel are there."""
        self._working = asyncio.create_task(self._work(), name="gateway's replies")
        self._subscribed = await self._broker.subscribe(REPLIES, self._receive, prefetch=PREFETCH)

    async def stop(self) -> None:
        """Take no more, and give back what is not passed on."""
        if self._subscribed is not None:
            await self._subscribed.cancel()
        if self._working is not None:
            self._working.cancel()
            await asyncio.gather(self._working, return_exceptions=True)
        for received in reversed(self._waiting):
            received.requeue()
        self._waiting.clear()

    def _receive(self, several: list[Received]) -> None:
        self._waiting.extend(several)
        self._has_come.set()

    async def _work(self) -> None:
        while True:
            await self._has_come.wait()
            self._has_come.clear()
            batch, self._waiting = self._waiting, []
            if not await self._pass_on(batch):
                # What went back comes again at once, and whatever was wrong is hardly mended yet.
                await sleep(self._broker.clock, AGAIN_IN)

    async def _pass_on(self, batch: list[Received]) -> bool:
        """Publish what can be read; whether all of that is done. What is not goes back to the queue."""
        readable = [(received, message) for received in batch if (message := _maybe_message(received))]
        channel = Destination(WEBSOCKET, "")
        lost = PublishLost("the gateway has stopped, or its broker is away")
        done: Sequence[PublishError | None] = [lost] * len(readable)
        try:
            done = await self._broker.publish_many([(message, channel) for _, message in readable])
        except ClientError as exc:
            log.warning("replies wait, since the broker is away: %s", exc)
        finally:
            for (received, _), error in zip(readable, done, strict=True):
                if error is None:
                    received.ack()
                else:
                    received.requeue()
        return not any(done)


def _maybe_message(received: Received) -> Message | None:
    """What goes to all gateways; what is no message goes to the queue's dead letters."""
    message = received.message
    try:
        fanned = fanned_reply(message.body, message.correlation_id)
    except InvalidMessage as exc:
        log.warning("a message on %s is buried: %s", received.queue, exc)
        received.reject()
        return None
    body = encode(fanned)
    trace = received.trace
    headers = {} if trace is None else trace.headers
    # The same id, if it comes twice: gateways know it then.
    return Message(body=body, id=message.id or uuid4().hex, headers=headers)
