"""The beanstalk adapter of the Broker port: beanstalkd, or Penstock by its beanstalk front. Tubes are queues.

What beanstalk has not is made up here where it can be (headers, by an envelope; dead letters, by a copy) and
refused before the start where it cannot (exchanges, bindings, limits of queues: rules.py). A message that
nobody takes in time is found out when somebody takes it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.client.beanstalk import OutgoingJob
from penstock.clock import SystemClock
from penstock.errors import PublishRefused, Unroutable
from penstock.messaging.beanstalk.deaths import dead
from penstock.messaging.beanstalk.dying import EXPIRED, Dying
from penstock.messaging.beanstalk.envelope import job_body
from penstock.messaging.beanstalk.received import BeanstalkReceived
from penstock.messaging.beanstalk.rules import demand_tubes
from penstock.messaging.beanstalk.terms import delay_of, priority_of, ttr_of
from penstock.messaging.message import Destination
from penstock.messaging.tracing import marked
from penstock.wire.amqp import CannotEncode

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from penstock.client.beanstalk import BeanstalkClient, Job
    from penstock.clock import Clock
    from penstock.errors import PublishError
    from penstock.messaging.message import Message
    from penstock.messaging.port import Received, Subscribed, Topology

__all__ = ["BeanstalkBroker"]


class BeanstalkBroker:
    """A server that speaks beanstalk, behind the Broker port."""

    def __init__(self, client: BeanstalkClient, *, clock: Clock | None = None) -> None:
        self.client = client
        self._clock = clock or SystemClock()
        self._dying = Dying(self._put_dead, self._written)

    def __repr__(self) -> str:
        return f"<BeanstalkBroker {self.product} {'.'.join(map(str, self.version))}, {self.client!r}>"

    # What it is

    @property
    def product(self) -> str:
        return self.client.tubes.server.product

    @property
    def version(self) -> tuple[int, ...]:
        return self.client.tubes.server.version

    @property
    def clock(self) -> Clock:
        return self._clock

    @property
    def is_connected(self) -> bool:
        return self.client.is_connected

    # What it does

    async def initialize(self, topology: Topology) -> None:
        demand_tubes(topology)
        for queue in topology.queues:
            home = queue.arguments.get("x-dead-letter-routing-key")
            if isinstance(home, str) and "x-dead-letter-exchange" in queue.arguments:
                self._dying.homes[queue.name] = home
        await self.client.tubes.declare(*(queue.name for queue in topology.queues))

    async def publish(
        self,
        message: Message,
        to: Destination,
        *,
        timeout: float | None = None,  # noqa: ASYNC109  by the broker's clock
    ) -> None:
        if to.exchange:
            raise _no_exchange(to)
        await self.client.put(self._job(message, to.key), timeout)

    async def publish_many(
        self,
        messages: Sequence[tuple[Message, Destination]],
        *,
        timeout: float | None = None,  # noqa: ASYNC109  by the broker's clock
    ) -> list[PublishError | None]:
        refused: dict[int, PublishError] = {}
        jobs: list[OutgoingJob] = []
        for position, (message, to) in enumerate(messages):
            try:
                if to.exchange:
                    refused[position] = _no_exchange(to)
                else:
                    jobs.append(self._job(message, to.key))
            except Exception as exc:  # noqa: BLE001  an endless delay, say: no reason to keep back the others
                refused[position] = PublishRefused(str(exc))
        done = iter(await self.client.put_many(jobs, timeout))
        return [refused[each] if each in refused else next(done) for each in range(len(messages))]

    async def subscribe(
        self,
        queue: str,
        receive: Callable[[list[Received]], None],
        *,
        prefetch: int,
        pool: int = 1,
        any_size: bool = False,
    ) -> Subscribed:
        def hand_over(jobs: list[Job]) -> None:
            taken: list[Received] = [*self._alive(jobs)]
            if taken:
                receive(taken)

        return await self.client.consume(queue, hand_over, window=prefetch * pool)

    async def fetch(self, queue: str) -> Received | None:
        while (job := await self.client.get(queue)) is not None:
            for received in self._alive([job]):
                return received
        return None

    async def depth(self, queue: str) -> int | None:
        state = await self.client.tubes.state(queue)
        return None if state is None else state.ready

    async def close(self) -> None:
        await self._dying.drain()
        await self.client.close()

    # How

    def _job(self, message: Message, tube: str) -> OutgoingJob:
        # A job without an id is its body alone, for programs that know of nothing else.
        traced = marked(message, Destination.queue(tube)) if message.id else message
        body = job_body(traced, self._clock.now())
        most = self.client.tubes.server.max_job
        if len(body) > most:
            raise CannotEncode(
                f"a job of {len(body)} bytes: this server takes {most} at most (its option -z)"
            )
        return OutgoingJob(
            tube, body, priority_of(message), delay_of(message), ttr_of(message), mandatory=True
        )

    def _alive(self, jobs: Iterable[Job]) -> Iterable[BeanstalkReceived]:
        now = self._clock.now()
        for job in jobs:
            received = BeanstalkReceived(job, self._dying, now)
            if received.is_expired(now):
                received.die(EXPIRED)
            else:
                yield received

    def _written(self, message: Message, queue: str, reason: str, to: Destination) -> Message:
        return dead(message, queue=queue, reason=reason, to=to, now=self._clock.now())

    async def _put_dead(self, message: Message, tube: str) -> None:
        try:
            job = self._job(message, tube)
        except CannotEncode as exc:
            raise PublishRefused(str(exc)) from exc
        await self.client.put(job._replace(mandatory=False))


def _no_exchange(to: Destination) -> Unroutable:
    return Unroutable(f"{to}: beanstalk has no exchanges, only tubes by name")
