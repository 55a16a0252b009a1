"""A beanstalk client: puts jobs and takes them, and comes back by itself after a loss.

It has a connection that keeps tubes and asks about them, one that puts, and one for each tube that jobs are
taken from, since a server that waits for a job reads nothing else from that connection.
"""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING

from penstock.client.beanstalk.consumption import JobConsumption
from penstock.client.beanstalk.hand import Hand
from penstock.client.beanstalk.putting import Putting
from penstock.client.beanstalk.road import BeanstalkRoad
from penstock.client.beanstalk.tubes import Tubes
from penstock.client.beanstalk.url import BeanstalkUrl
from penstock.client.counters import Counters
from penstock.client.keeping import KeptConnection
from penstock.client.settings import ClientSettings
from penstock.clock import SystemClock
from penstock.errors import ClientError, NotConnected

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Self

    from penstock.client.beanstalk.connection import BeanstalkConnection
    from penstock.client.beanstalk.job import Job
    from penstock.client.beanstalk.outgoing import OutgoingJob
    from penstock.client.dialing import Dial
    from penstock.clock import Clock
    from penstock.errors import PublishError

__all__ = ["BeanstalkClient", "connect"]


class BeanstalkClient:
    """One server's client; `connect` makes one that is connected."""

    def __init__(self, url: str, dial: Dial | None, settings: ClientSettings, clock: Clock) -> None:
        self.settings = settings
        self.counters = Counters()
        self.url = BeanstalkUrl.parse(url)
        self._road = BeanstalkRoad(self.url, dial, settings, self.counters)
        self._clock = clock
        self._link = self._make_link("keeper")
        self._putting_link = self._make_link("producer")
        self.tubes = Tubes(self._link, settings)
        self._putting = Putting(self._putting_link, settings, self.counters, clock, self.tubes.is_there)
        self._hands: list[Hand] = []
        self._is_closed = False
        #: For jobs that are asked for one by one: by tube.
        self._fetching: dict[str, Hand] = {}

    def __repr__(self) -> str:
        return f"<BeanstalkClient of {self.url}, {'up' if self.is_connected else 'down'}>"

    @property
    def is_connected(self) -> bool:
        """Whether the server answered last time."""
        return self._link.is_up

    async def open(self) -> None:
        """Connect.

        Raises:
            LoginRefused, NotConnected: as of `connect`.
        """
        self._link.start()
        await self._link.ready()

    async def close(self, timeout: float | None = None) -> None:  # noqa: ASYNC109 (the farewells')
        """Have what was settled heard, and leave; what is in hand goes back."""
        self._is_closed = True
        within = self.settings.close_timeout if timeout is None else timeout
        hands = [*self._hands, *self._fetching.values()]
        closing = [hand.close(within) for hand in hands]
        closing += [self._link.close(within), self._putting_link.close(within)]
        await asyncio.gather(*closing)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    # Putting

    async def put(self, job: OutgoingJob, timeout: float | None = None) -> None:  # noqa: ASYNC109
        """Put a job, and return when the server has it.

        Raises:
            PublishError: it has not, or nobody can tell.
        """
        (error,) = await self.put_many([job], timeout)
        if error is not None:
            raise error

    async def put_many(
        self,
        jobs: Sequence[OutgoingJob],
        timeout: float | None = None,  # noqa: ASYNC109 (by the clock)
    ) -> list[PublishError | None]:
        """Put all of them in order with one wait; what happened to each, None is confirmed."""
        within = self.settings.publish_timeout if timeout is None else timeout
        return await self._putting.put_many(jobs, self._clock.now() + within)

    # Taking

    async def consume(
        self, tube: str, receive: Callable[[list[Job]], None], *, window: int
    ) -> JobConsumption:
        """Have the jobs of a tube handed over, at most so many unsettled.

        Raises:
            LoginRefused, NotConnected: it cannot be.
        """
        hand = self._make_hand(tube, "worker")
        self._hands = [*(each for each in self._hands if not each.is_closed), hand]
        consumption = JobConsumption(hand, receive, window, self._clock)
        try:
            await consumption.start()
        except BaseException:
            await hand.close(0)
            raise
        return consumption

    async def get(self, tube: str) -> Job | None:
        """One job, or None if there is none ready.

        Raises:
            LoginRefused, NotConnected: it cannot be.
        """
        hand = self._fetching.get(tube)
        if hand is None:
            hand = self._fetching[tube] = self._make_hand(tube, "fetcher")
            hand.link.start()
        while True:
            try:
                connection = await hand.link.ready()
            except ClientError:
                # It has given up; who asks again later begins anew.
                self._fetching.pop(tube, None)
                raise
            came: asyncio.Future[Job | None] = asyncio.get_running_loop().create_future()
            hand.reserve(0, partial(_give, came))
            job = await came
            if job is not None or connection.is_open:
                return job

    def _make_hand(self, tube: str, role: str) -> Hand:
        if self._is_closed:
            raise NotConnected("the client is closed")
        link = self._make_link(f"{role} of {tube}")
        return Hand(tube, link, self.settings, self.counters, self._clock)

    def _make_link(self, role: str) -> KeptConnection[BeanstalkConnection]:
        name = f"{self.settings.name} {role}"
        return KeptConnection(name, self._road, self.settings, self.counters, self._clock)


def _give(came: asyncio.Future[Job | None], job: Job | None) -> None:
    if not came.done():
        came.set_result(job)
    elif job is not None:
        # Whoever asked does not wait any more.
        job.release()


async def connect(
    url: str,
    *,
    dial: Dial | None = None,
    settings: ClientSettings | None = None,
    clock: Clock | None = None,
) -> BeanstalkClient:
    """A client that is connected.

    Args:
        url: `beanstalk://` or `beanstalks://`.
        dial: Opens the sockets instead of TCP or TLS.
        settings: How it behaves, as far as this protocol has it.
        clock: What backoffs, leases and the deadlines of puts go by.

    Raises:
        BadUrl: the URL, or a file it names, cannot be used.
        LoginRefused: the server does not let this user in.
        NotConnected: nobody answered, as often as the settings say.
    """
    client = BeanstalkClient(url, dial, settings or ClientSettings(), clock or SystemClock())
    try:
        await client.open()
    except BaseException:
        await client.close(0)
        raise
    return client
