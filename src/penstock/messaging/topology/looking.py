"""Looking at a live broker: who it is, and what it has.

Penstock tells over the connection itself; RabbitMQ through its management API, where that can be reached.
Anything else, and a RabbitMQ without the plugin, is asked queue by queue, which shows less; what could not
be seen is told with the rest.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import msgspec

from penstock.errors import ClientError, ManagementMissing, NotPermitted, TopologyError
from penstock.messaging.topology.live import Live, LiveQueue, from_definitions
from penstock.messaging.topology.management import Management

if TYPE_CHECKING:
    from penstock.client import BrokerUrl, Client
    from penstock.messaging.topology.model import Topology

__all__ = ["look"]

PENSTOCK: Final = "Penstock"
RABBITMQ: Final = "RabbitMQ"
#: What Penstock is asked with, over AMQP (docs/reference/amqp.md).
DEFINITIONS: Final = "amq.penstock.definitions"

UNSEEN: Final = (
    "only whether declared queues exist was seen, not their arguments, exchanges, bindings, or queues that"
    " nothing declares"
)


async def look(
    client: Client, url: BrokerUrl, wanted: Topology, *, management: str | None = None, namespace: str = ""
) -> Live:
    """What the broker at the other end has.

    Args:
        client: Connected to it.
        url: Where it is.
        wanted: Whose names to ask for where a broker does not tell them.
        management: RabbitMQ's management API; where it usually is if None.
        namespace: Whose queues, beside the wanted ones, are counted exactly.

    Raises:
        TopologyError: the management API was named, and does not answer.
        NotPermitted: it was named, and does not let this user in.
        ClientError: the broker is gone.
    """
    product, version = client.server.product, client.server.version
    if product == PENSTOCK:
        live = await _ask_penstock(client, wanted)
    elif product == RABBITMQ:
        live = await _ask_rabbitmq(client, url, wanted, management, namespace)
    else:
        live = await _ask_passively(client, wanted, f"{product or 'this broker'} has no way to tell")
    return replace(live, product=product, version=version)


async def _ask_penstock(client: Client, wanted: Topology) -> Live:
    try:
        reply = await client.request("", DEFINITIONS, b"")
    except ClientError as refused:
        # Who may not write to the default exchange may not ask; an older broker would not know what is meant.
        return await _ask_passively(client, wanted, str(refused))
    try:
        return from_definitions(msgspec.json.decode(reply.body, type=dict[str, Any]))
    except (msgspec.DecodeError, LookupError, TypeError, AttributeError) as exc:
        raise TopologyError(f"the broker's answer about its definitions cannot be read: {exc}") from exc


async def _ask_rabbitmq(
    client: Client, url: BrokerUrl, wanted: Topology, management: str | None, namespace: str
) -> Live:
    try:
        if management is None:
            api = await _found_beside(url, client.server.cluster)
        else:
            api = Management.parse(management, url)
        live = from_definitions(await api.definitions(url.virtual_host))
    except (ManagementMissing, NotPermitted) as missing:
        if management is not None:
            raise
        return await _ask_passively(client, wanted, str(missing))
    names = {queue.name for queue in wanted.queues}
    concerned = [name for name in live.queues if name in names or name.startswith(f"{namespace}.")]
    exact = {name: await _counted(client, live.queues[name]) for name in concerned}
    return replace(live, queues={**live.queues, **exact})


async def _found_beside(url: BrokerUrl, cluster: str) -> Management:
    """The API where it usually is, if it is this broker's: on a machine with two, it may be the other's."""
    api = Management.beside(url)
    if (name := await api.cluster()) != cluster:
        raise ManagementMissing(f"the management API at {api} is that of another broker, {name}")
    return api


async def _counted(client: Client, queue: LiveQueue) -> LiveQueue:
    """The queue with what is in it now: the management API counts every few seconds only."""
    state = await client.queue_state(queue.name)
    if state is None:
        return queue
    # The API's count has what is in hand, the broker's has not.
    return replace(queue, messages=max(queue.messages, state.messages), consumers=state.consumers)


async def _ask_passively(client: Client, wanted: Topology, why: str) -> Live:
    found: dict[str, LiveQueue] = {}
    for name in (queue.name for queue in wanted.queues):
        try:
            state = await client.queue_state(name)
        except ClientError as exc:
            raise TopologyError(f"queue {name!r} cannot be looked at: {exc}") from exc
        if state is not None:
            found[name] = LiveQueue(name=name, messages=state.messages, consumers=state.consumers)
    return Live(queues=found, unseen=f"{UNSEEN}: {why}")
