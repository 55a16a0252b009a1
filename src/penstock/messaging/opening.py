"""Which broker a URL means."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.client import connect
from penstock.messaging.amqp import AmqpBroker
from penstock.messaging.delays import DelayLadder
from penstock.messaging.settings import MessagingSettings

if TYPE_CHECKING:
    from penstock.clock import Clock

__all__ = ["open_broker"]


async def open_broker(
    mq_url: str | None, *, settings: MessagingSettings | None = None, clock: Clock | None = None
) -> AmqpBroker:
    """A broker: the one at the URL, several with commas between being a cluster, or one in this process.

    Raises:
        BadUrl: it is no URL of a broker.
        NotConnected: nobody answered, often enough.
        LoginRefused: the broker does not want this user.
    """
    settings = settings or MessagingSettings()
    if mq_url is None:
        # A program that goes to a broker elsewhere does without all that one is made of.
        from penstock.messaging.embedded import EmbeddedBroker  # noqa: PLC0415

        return await EmbeddedBroker.start(client=settings.client, data=settings.mq_data, clock=clock)
    urls = [url.strip() for url in mq_url.split(",")]
    client = await connect(urls, settings=settings.client, clock=clock)
    return AmqpBroker(client, clock=clock, delays=DelayLadder())
