"""A consumption: jobs of a tube are handed over as they come, so many at a time.

beanstalk has no subscriptions: a client asks for each job, and a server that waits for one reads nothing else
from that connection, not even that another job is done. So with nothing in hand a server is asked to wait;
with jobs in hand it is asked without waiting, twice as many each time that all were there, and again a little
later when there were none.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.client.beanstalk.hand import Hand
    from penstock.client.beanstalk.job import Job
    from penstock.clock import Alarm, Clock
    from penstock.errors import ClientError

__all__ = ["JobConsumption"]

#: Seconds that a server is asked to wait for a job.
WAIT_S: Final = 60
#: Jobs that are asked for at once, at most.
MOST_AT_ONCE: Final = 500
#: Seconds until an empty tube is looked at again while other jobs are in hand: at first, and at most.
LOOK_FIRST_S: Final = 0.005
LOOK_LAST_S: Final = 0.05


class JobConsumption:
    """Takes jobs from `start` to `cancel`."""

    def __init__(self, hand: Hand, receive: Callable[[list[Job]], None], window: int, clock: Clock) -> None:
        self._hand = hand
        self._receive = receive
        self._window = window
        self._clock = clock
        self._is_over = False
        #: Asked for and not answered; and of these, whether the server was asked to wait.
        self._asked = 0
        self._is_waiting = False
        #: How many were asked for last, how many of these were there, and how many are asked for next.
        self._wanted = 0
        self._came = 0
        self._burst = 1
        self._look_in = LOOK_FIRST_S
        self._alarm: Alarm | None = None
        self._arrived: list[Job] = []
        self._ending: asyncio.Task[None] | None = None
        hand.on_change = self._changed

    def __repr__(self) -> str:
        state = "over" if self._is_over else "waiting" if self._is_waiting else "taking"
        return f"<JobConsumption of {self._hand.tube!r}, {state}, {self.in_hand} of {self._window} in hand>"

    @property
    def is_live(self) -> bool:
        """Whether the server hears us."""
        return not self._is_over and self._hand.link.is_up

    @property
    def trouble(self) -> ClientError | None:
        """Why there will be no connection any more; None while one is there, or tried for."""
        return self._hand.link.failure

    @property
    def in_hand(self) -> int:
        """Jobs that are not settled."""
        return len(self._hand.jobs)

    async def start(self) -> None:
        """Begin to take.

        Raises:
            LoginRefused, NotConnected: it cannot be.
        """
        self._hand.link.start()
        await self._hand.link.ready()
        self._look()

    async def cancel(self) -> None:
        """Take no more; what is in hand may still be settled, and then the connection goes."""
        self._is_over = True
        self._quiet()
        self._maybe_end()
        if self._ending is not None:
            await asyncio.wait([self._ending])

    def _maybe_end(self) -> None:
        """Hang up if nothing is in hand, nor on its way here; a server that waits hears of the end."""
        is_idle = not self._hand.jobs and (self._is_waiting or not self._asked)
        if self._is_over and self._ending is None and is_idle:
            self._ending = asyncio.get_running_loop().create_task(self._hand.close())

    # Asking

    def _changed(self) -> None:
        """A connection has come or gone, or a job was settled."""
        connection = self._hand.link.connection
        if connection is None:
            self._asked = 0
            self._is_waiting = False
            self._arrived.clear()
            self._quiet()
            self._maybe_end()
            return
        connection.on_read = self._hand_over
        self._maybe_end()
        self._look()

    def _look(self) -> None:
        """Ask for more, unless an answer is still to come."""
        in_hand = self.in_hand
        if self._is_over or self._asked or self._hand.link.connection is None or in_hand >= self._window:
            return
        if self._alarm is not None:
            if in_hand:
                return
            self._quiet()
            self._burst = 0
        if not self._burst and not in_hand:
            self._is_waiting = True
            self._ask(1, WAIT_S)
        else:
            self._ask(min(self._burst or 1, self._window - in_hand, MOST_AT_ONCE), 0)

    def _ask(self, count: int, wait: int) -> None:
        self._asked = self._wanted = count
        self._came = 0
        for _ in range(count):
            self._hand.reserve(wait, self._take)

    def _take(self, job: Job | None) -> None:
        if job is not None:
            self._came += 1
            self._arrived.append(job)
        if not self._asked:
            return  # of a connection that is gone
        self._asked -= 1
        if self._asked:
            return
        was_waiting, self._is_waiting = self._is_waiting, False
        self._maybe_end()
        if self._came == 0:
            self._found_none(was_waiting=was_waiting)
            return
        self._look_in = LOOK_FIRST_S
        # Where some were missing, there are no more for now.
        self._burst = self._came * 2 if self._came == self._wanted else 1
        self._look()

    def _found_none(self, *, was_waiting: bool) -> None:
        self._burst = 0
        if was_waiting or not self.in_hand:
            self._look()
        elif not self._is_over:
            self._alarm = self._clock.call_at(self._clock.now() + self._look_in, self._look_again)
            self._look_in = min(self._look_in * 2, LOOK_LAST_S)

    def _look_again(self) -> None:
        self._alarm = None
        self._look()

    def _quiet(self) -> None:
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None

    # Handing over

    def _hand_over(self) -> None:
        """All that came with one read, at once."""
        arrived, self._arrived = self._arrived, []
        if self._is_over:
            for job in arrived:
                job.release()
        elif arrived:
            self._receive(arrived)
