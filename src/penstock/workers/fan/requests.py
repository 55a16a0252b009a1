"""Publish, subscribe and unsubscribe as jobs, for those who speak Keno Antigen's messages on bg_pubsub.

Any worker may run these routes, as many as one likes (`penstock worker penstock.workers.fan:pubsub`): who is
subscribed is the broker's state. What cannot be done is buried with its reason, as any job.
"""

from __future__ import annotations

from typing import Any, Final

import msgspec

from penstock.errors import PersistentError
from penstock.messaging.amqp import AmqpBroker
from penstock.workers.fan.exchange import FanExchange
from penstock.workers.job import Job  # noqa: TC001  a route reads the annotation of its handler
from penstock.workers.routes import Routes

__all__ = ["PUBSUB", "pubsub", "pubsub_routes"]

#: The queue of these requests.
PUBSUB: Final = "bg_pubsub"


class Publish(msgspec.Struct, frozen=True):
    """The content of /pubsub/publish: a message within the message."""

    channel: str
    message: dict[str, Any]


class Subscribe(msgspec.Struct, frozen=True):
    """The content of /pubsub/subscribe and /pubsub/unsubscribe."""

    pipe: str


def pubsub_routes() -> Routes:
    """The three routes, on the broker of whichever worker runs them."""
    routes = Routes(PUBSUB)
    # A fan exchange knows which channels it has made sure of; a worker has one broker.
    fans: dict[AmqpBroker, FanExchange] = {}

    def fan_of(job: Job[Any]) -> FanExchange:
        broker = job.jobs.broker
        if not isinstance(broker, AmqpBroker):
            raise PersistentError(f"publish/subscribe needs a broker that speaks AMQP, and not {broker!r}")
        return fans.setdefault(broker, FanExchange(broker))

    @routes.route("/pubsub/publish")
    async def publish(job: Job[Publish]) -> None:
        # A job that is done twice is one message still.
        await fan_of(job).publish(job.content.channel, job.content.message, id=job.id)

    @routes.route("/pubsub/subscribe")
    async def subscribe(job: Job[Subscribe]) -> None:
        await fan_of(job).add(job.content.pipe)

    @routes.route("/pubsub/unsubscribe")
    async def unsubscribe(job: Job[Subscribe]) -> None:
        await fan_of(job).remove(job.content.pipe)

    return routes


pubsub: Final = pubsub_routes()
