"""The operation queue of one instance of a domain: Add, Remove, Peek, Len.

Added operations go to the broker, and from there to any instance, which keeps them in the database and waits
for enough of them to cut a batch. The database is the truth: what is in memory is only the order in which
this instance will ask for its own, and whatever it has lost meanwhile is left out of the cut.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING

from penstock.did.operation_queue.cut import CutDesk
from penstock.did.operation_queue.cutter import rules_by
from penstock.did.operation_queue.cutting import Cutting
from penstock.did.operation_queue.heart import Heart
from penstock.did.operation_queue.heartbeat import retire
from penstock.did.operation_queue.intake import Intake
from penstock.did.operation_queue.monitor import MONITOR, Monitor
from penstock.did.operation_queue.pending import Pending
from penstock.did.operation_queue.reposting import Reposter
from penstock.did.parameters import DidParameters
from penstock.did.queues import DomainQueues
from penstock.did.tasks.task import Task
from penstock.errors import DidError, QueueNotStarted, StoreError
from penstock.messaging.message import Destination
from penstock.messaging.subscriptions import Subscription
from penstock.sidetree.protocol import Protocols

if TYPE_CHECKING:
    from collections.abc import Iterable

    from penstock.clock import Clock
    from penstock.did.database import DomainDatabase
    from penstock.did.operation_queue.cut import Cut
    from penstock.did.operation_queue.cutter import CutRules
    from penstock.did.operation_queue.operation import Posted, QueuedOperation
    from penstock.did.operation_queue.reposting import Reposted
    from penstock.errors import PublishError
    from penstock.messaging.port import Alerts, Broker

__all__ = ["OperationQueue"]

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Running:
    """What there is between start and stop."""

    clock: Clock
    intake: Intake
    cutting: Cutting
    monitor: Monitor
    heart: Heart
    subscription: Subscription


class OperationQueue:
    """One instance's share of a domain's operations. `start` it, let a batch writer `cut`, `stop` it."""

    def __init__(
        self,
        database: DomainDatabase,
        parameters: DidParameters | None = None,
        *,
        me: str,
        queues: DomainQueues | None = None,
        rules: CutRules | None = None,
        alerts: Alerts | None = None,
    ) -> None:
        """A queue that is not started.

        Args:
            database: With the layout OPERATION_QUEUE.
            parameters: The domain's.
            me: The instance's id, from the task manager: new at every start of the program.
            queues: The names of the domain's queues; the broker has them when this starts.
            rules: When a batch is cut; by the parameters and Orb's protocol, if it is None.
            alerts: Told of operations that are given up.
        """
        self._database = database
        self._parameters = parameters or DidParameters()
        self.me = me
        self._queues = queues or DomainQueues()
        self._rules = rules or rules_by(Protocols(), timeout=self._parameters.batch_timeout_s)
        self._alerts = alerts
        self._pending = Pending()
        #: How often operations were released: whoever has tried to cut in vain may try again.
        self.releases = 0
        self._maybe_running: _Running | None = None

    def __repr__(self) -> str:
        state = "stopped" if self._maybe_running is None else "running"
        return f"<OperationQueue {self.me}, {len(self)} pending, {state}>"

    def __len__(self) -> int:
        """How many operations wait for a batch here."""
        return len(self._pending)

    # Starting and stopping

    async def start(self, broker: Broker) -> None:
        """Say that this instance lives, and take operations.

        Raises:
            DidError: it is running already.
            StoreError: the database cannot be used.
            BrokerRefused: there is no queue for operations.
        """
        if self._maybe_running is not None:
            raise DidError("the operation queue is running already")
        running = self._made(broker)
        await running.heart.start()
        self._maybe_running = running
        try:
            await running.subscription.start()
        except BaseException:
            await self.stop()
            raise

    def _made(self, broker: Broker) -> _Running:
        database, parameters, queues, clock = self._database, self._parameters, self._queues, broker.clock
        reposter = Reposter(database, broker, policy=parameters.reposting, queues=queues, alerts=self._alerts)
        intake = Intake(database, broker, self._pending, me=self.me, parameters=parameters, queues=queues)
        desk = CutDesk(database, self._pending, reposter, parameters=parameters, clock=clock)
        expiration, limit = parameters.op_queue_task_expiration, parameters.op_queue_max_ops_to_repost
        interval = parameters.op_queue_task_monitor_interval
        return _Running(
            clock=clock,
            intake=intake,
            cutting=Cutting(desk, me=self.me, rules=self._rules),
            monitor=Monitor(
                database, reposter, me=self.me, clock=clock, expiration=expiration, max_ops_to_repost=limit
            ),
            heart=Heart(database, me=self.me, clock=clock, interval=interval),
            subscription=Subscription(
                intake.consumer,
                broker,
                dead_letters=Destination.queue(queues.dead_letters),
                alerts=self._alerts,
            ),
        )

    async def stop(self) -> None:
        """Take no more. What waits is left to the other instances, or to the next start."""
        running = self._maybe_running
        if running is None:
            return
        await running.subscription.stop(self._parameters.mq_stop_timeout)
        self._maybe_running = None
        await running.heart.stop()
        # They are anybody's from now on, or a dead instance's; another start begins with none.
        self._pending = Pending()
        try:
            await self._database.run(retire, self.me, running.clock.now())
        except StoreError as exc:
            _log.warning("the other instances will find out by themselves that %s is gone: %s", self.me, exc)

    @property
    def _running(self) -> _Running:
        if self._maybe_running is None:
            raise QueueNotStarted("the operation queue is not running: `await queue.start(broker)` first")
        return self._maybe_running

    @property
    def task(self) -> Task:
        """The monitor as a task; it can be run between start and stop."""
        return Task(MONITOR, self._parameters.op_queue_task_monitor_interval, self.look_after_others)

    async def look_after_others(self) -> Reposted:
        """Run the monitor once.

        Raises:
            StoreError: the database is away; the next run goes on.
        """
        return await self._running.monitor.run()

    @property
    def subscription(self) -> Subscription:
        """By which operations are taken, between start and stop."""
        return self._running.subscription

    @property
    def is_busy(self) -> bool:
        """Whether messages are being taken."""
        return self._maybe_running is not None and self._maybe_running.subscription.is_busy

    # Adding

    async def add(self, operation: QueuedOperation) -> str:
        """Post an operation, and return its id when the broker has it for certain.

        Raises:
            QueueNotStarted: between start and stop only.
            PublishError: the broker does not have it, or nobody can tell; it may be added again.
        """
        return await self._running.intake.add(operation)

    async def add_many(self, operations: Iterable[QueuedOperation]) -> list[PublishError | None]:
        """Post operations in order with one wait; what happened to each, None is confirmed."""
        return await self._running.intake.add_many(operations)

    # Cutting

    async def peek(self, count: int) -> list[Posted]:
        """What `remove` would take now; it stays."""
        return await self._running.cutting.peek(count)

    async def remove(self, count: int) -> Cut | None:
        """Cut up to so many operations, however few there are; None if there is none.

        They are of one protocol version and of as many DIDs, and either all or none were blamed before.
        """
        return await self._running.cutting.cut(most=count, force=True)

    async def cut(self, *, force: bool = False) -> Cut | None:
        """Cut a batch, if one is due or it is asked for anyway; None if not.

        Raises:
            StoreError: the database is away; nothing was cut.
        """
        return await self._running.cutting.cut(most=None, force=force)

    @property
    def may_be_full(self) -> bool:
        """Whether a batch may be due before its time: it is full, or the protocol's version has changed."""
        return self._running.cutting.may_be_full

    def next_due(self) -> float | None:
        """When a batch is due at the latest, in seconds since the epoch; None while nothing waits."""
        return self._running.cutting.next_due()

    def hold(self, suffixes: Iterable[str]) -> None:
        """Leave the operations of these DIDs out of cuts, in their places, until they are released."""
        self._pending.held.update(suffixes)

    def release(self, suffixes: Iterable[str]) -> None:
        """Let the operations of these DIDs be cut again."""
        self._pending.held.difference_update(suffixes)
        self.releases += 1

    async def reopen(self) -> list[Cut]:
        """The cuts to go on with that nobody here is at: of dead instances, or put down; the oldest first.

        Operations that came here, and of which the database could not say so, wait from now on.

        Raises:
            StoreError: the database is away.
        """
        await self._running.intake.settle_doubts()
        return await self._running.cutting.reopen()

    async def reopen_cut(self, number: int) -> Cut:
        """Go on with a cut by its number, whoever had it: for who knows that nobody else is at it.

        Raises:
            CutLost: there is no open cut of that number.
        """
        return await self._running.cutting.reopen_cut(number)
