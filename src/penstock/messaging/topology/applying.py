"""Taking the steps of a plan.

Everything that is wanted is declared, in order; declaring what is there already changes nothing. A queue
goes only if it is empty and unused at the very moment: the broker itself looks, not only the plan.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from penstock.client import Queue
from penstock.errors import BrokerRefused, TopologyError
from penstock.messaging.topology.looking import RABBITMQ
from penstock.messaging.topology.plan import Action

if TYPE_CHECKING:
    from penstock.client import Client
    from penstock.messaging.topology.live import Live
    from penstock.messaging.topology.model import Topology
    from penstock.messaging.topology.plan import Plan, Step

__all__ = ["apply"]

#: Queues that RabbitMQ does not delete on conditions: it ends the connection instead, with 540.
UNCONDITIONAL: Final = ("quorum", "stream")


async def apply(client: Client, wanted: Topology, live: Live, plan: Plan) -> list[Step]:
    """Do what a plan says. Returns the steps that were not taken after all, and why.

    Raises:
        TopologyError: there are conflicts; nothing was changed.
        BrokerRefused: something is there, and not like that, which the broker had not told before.
    """
    if plan.conflicts:
        told = "\n".join(f"  {step}" for step in plan.conflicts)
        raise TopologyError(f"nothing was changed, because of conflicts:\n{told}")
    kept = [left for step in plan.of(Action.RECREATE) for left in await _delete(client, live, step)]
    if kept:
        raise TopologyError(f"not everything could be made anew; nothing else was changed: {kept[0]}")
    await client.declare(*wanted.things())
    for step in plan.of(Action.DELETE):
        kept += await _delete(client, live, step)
    return kept


async def _delete(client: Client, live: Live, step: Step) -> list[Step]:
    """Take a binding away, or a queue if it is empty and unused; else the step, with the reason."""
    if not isinstance(step.thing, Queue):
        await client.withdraw(step.thing)
        return []
    found = live.queues.get(step.thing.name)
    queue = step.thing if found is None or found.declared is None else found.declared
    if live.product == RABBITMQ and queue.arguments.get("x-queue-type") in UNCONDITIONAL:
        return await _delete_unconditional(client, live, step, queue)
    try:
        await client.withdraw(queue, only_if_idle=True)
    except BrokerRefused as refused:
        return [replace(step, action=Action.LEAVE, why=f"it is in use after all: {refused}")]
    return []


async def _delete_unconditional(client: Client, live: Live, step: Step, queue: Queue) -> list[Step]:
    """Cut a queue off, look once more, and delete it.

    What somebody sends to it by its own name between the last two would be lost: there is no safer way with
    these queues, but nothing is routed to it any more, and nothing declares it.
    """
    for binding in live.bindings or ():
        if binding.target == queue.name and not binding.to_exchange:
            await client.withdraw(binding)
    state = await client.queue_state(queue.name)
    if state is not None and (state.messages or state.consumers):
        return [replace(step, action=Action.LEAVE, why="it is in use after all; it was cut off, not deleted")]
    await client.withdraw(queue)
    return []
