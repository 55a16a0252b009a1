"""Which broker a URL means."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.client import connect
from penstock.client.schemes import is_beanstalk
from penstock.errors import BadUrl
from penstock.messaging.amqp import AmqpBroker
from penstock.messaging.delays import DelayLadder
from penstock.messaging.settings import MessagingSettings

if TYPE_CHECKING:
    from penstock.clock import Clock
    from penstock.messaging.port import Broker

__all__ = ["open_amqp_broker", "open_broker"]


async def open_broker(
    mq_url: str | None, *, settings: MessagingSettings | None = None, clock: Clock | None = None
) -> Broker:
    """A broker: the one at the URL, several of AMQP with commas between for a cluster, or one in here.

    Raises:
        BadUrl: it is no URL of a broker.
        NotConnected: nobody answered, often enough.
        LoginRefused: the broker does not want this user.
    """
    if mq_url is None or not is_beanstalk(mq_url):
        return await open_amqp_broker(mq_url, settings=settings, clock=clock)
    if "," in mq_url:
        raise BadUrl("beanstalk servers know nothing of each other: name one of them")
    # Most programs do without this protocol.
    from penstock.client.beanstalk import connect as connect_to_tubes  # noqa: PLC0415
    from penstock.messaging.beanstalk import BeanstalkBroker  # noqa: PLC0415

    chosen = (settings or MessagingSettings()).client
    return BeanstalkBroker(await connect_to_tubes(mq_url, settings=chosen, clock=clock), clock=clock)


async def open_amqp_broker(
    mq_url: str | None, *, settings: MessagingSettings | None = None, clock: Clock | None = None
) -> AmqpBroker:
    """The same for who needs exchanges: AMQP, over a socket or in this process.

    Raises:
        BadUrl, NotConnected, LoginRefused: as above.
    """
    settings = settings or MessagingSettings()
    if mq_url is None:
        # A program that goes to a broker elsewhere does without all that one is made of.
        from penstock.messaging.embedded import EmbeddedBroker  # noqa: PLC0415

        return await EmbeddedBroker.start(client=settings.client, data=settings.mq_data, clock=clock)
    urls = [url.strip() for url in mq_url.split(",")]
    if any(map(is_beanstalk, urls)):
        raise BadUrl("this needs exchanges, which beanstalk has not: name a broker by amqp:// or amqps://")
    client = await connect(urls, settings=settings.client, clock=clock)
    return AmqpBroker(client, clock=clock, delays=DelayLadder())
