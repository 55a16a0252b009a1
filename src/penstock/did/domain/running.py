"""Running the parts of a domain that a process's roles need, and stopping them in the opposite order.

Each task has one role that registers it: a task is run by whoever has the means.

    worker    the anchor status monitor, catching up with others' outboxes, and the end of what has expired,
              in the database and in the storage
    writer    the operation queue's monitor, since it adopts cuts, and they must be gone on with
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from penstock.did.domain.relations import ask_neighbours, keep_policy
from penstock.did.domain.roles import WEB, WORKER, WRITER
from penstock.did.domain.sweeps import content_sweep, register_sweeps
from penstock.messaging.dead_letters import DeadLetterKeeper, DeadLetterStore
from penstock.messaging.message import Destination
from penstock.messaging.redelivery import RedeliveryHandler, RedeliveryPolicy
from penstock.messaging.subscriptions import Subscription, Watch

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence
    from contextlib import AsyncExitStack

    from penstock.did.domain.domain import Domain

    #: Starts what a role needs, and returns the subscriptions that are to be watched.
    Runner = Callable[[Domain, AsyncExitStack], Awaitable[Sequence[Subscription]]]

__all__ = ["run"]


async def run(domain: Domain, opened: AsyncExitStack) -> None:
    """Start what the roles need; `opened` stops it.

    Raises:
        StoreError, ClientError: it cannot be started; what was is stopped with `opened`.
    """
    running = [each for role in domain.roles for each in await RUNNERS[role](domain, opened)]
    after = domain.parameters.mq_stuck_after
    watch = Watch(running, clock=domain.clock, alerts=domain.alerts, after=after)
    opened.callback(watch.stop)
    watch.start()
    if domain.roles & {WORKER, WRITER}:
        opened.push_async_callback(domain.tasks.stop)
        await domain.tasks.start()


async def _run_web(domain: Domain, opened: AsyncExitStack) -> Sequence[Subscription]:
    """Nothing of its own: whoever serves `domain.site` does so as long as the domain is open."""
    return ()


async def _run_worker(domain: Domain, opened: AsyncExitStack) -> Sequence[Subscription]:
    parameters = domain.parameters
    await _run_redelivery(domain, opened)
    await keep_policy(domain)
    consumer = domain.anchoring.linksets.consumer(parameters, domain.queues)
    linksets = Subscription(
        consumer,
        domain.broker,
        dead_letters=Destination.queue(domain.queues.dead_letters),
        alerts=domain.alerts,
    )
    opened.push_async_callback(linksets.stop, parameters.mq_stop_timeout)
    await linksets.start()
    await domain.federation.start()
    register_sweeps(domain.expiry, parameters)
    domain.tasks.register(domain.anchoring.monitor.task)
    domain.tasks.register(domain.expiry.task(parameters.data_expiry_check_interval))
    domain.tasks.register(domain.catching_up.task(parameters.sync_interval))
    domain.tasks.register(content_sweep(domain.places.storage, domain.clock))
    await ask_neighbours(domain)
    return (linksets, *domain.federation.subscriptions)


async def _run_redelivery(domain: Domain, opened: AsyncExitStack) -> None:
    """What failed is tried again, and what has failed often enough is kept where a person can look at it."""
    parameters, arguments = domain.parameters, domain.parameters.queue_arguments
    store = DeadLetterStore(domain.places.database)
    opened.callback(store.close)
    keeper = DeadLetterKeeper(store, domain.queues.dead_letters, alerts=domain.alerts, arguments=arguments)
    redelivery = RedeliveryHandler(
        RedeliveryPolicy.from_settings(parameters),
        names=domain.queues,
        alerts=domain.alerts,
        arguments=arguments,
    )
    for part in (keeper, redelivery):
        opened.push_async_callback(part.stop)
        await part.start(domain.broker)


async def _run_writer(domain: Domain, opened: AsyncExitStack) -> Sequence[Subscription]:
    queue = domain.operation_queue
    opened.push_async_callback(queue.stop)
    await queue.start(domain.broker)
    domain.tasks.register(queue.task)
    return (queue.subscription,)


RUNNERS: Final[Mapping[str, Runner]] = {WEB: _run_web, WORKER: _run_worker, WRITER: _run_writer}
