"""A job in hand: what the server says of it, and how it is settled."""

from __future__ import annotations

import asyncio
import re
from typing import TYPE_CHECKING, Final, NamedTuple

from penstock.wire.beanstalk import Verb, Word
from penstock.wire.beanstalk.requests import request

if TYPE_CHECKING:
    from penstock.client.beanstalk.hand import Hand
    from penstock.wire.beanstalk import Answer

__all__ = ["Job", "JobFacts"]

#: The lines of stats-job that are read, and what they are called here.
_FIELDS: Final = {
    b"pri": "priority",
    b"age": "age",
    b"ttr": "ttr",
    b"reserves": "reserves",
    b"releases": "releases",
    b"buries": "buries",
}
_TOLD: Final = re.compile(rb"^(%b): ([0-9]{1,20})$" % b"|".join(_FIELDS), re.MULTILINE)


class JobFacts(NamedTuple):
    """What stats-job tells."""

    priority: int = 0
    #: Seconds since it was put.
    age: int = 0
    #: Seconds a worker has for it.
    ttr: int = 1
    #: How often it was reserved, this time included; and of these, put back or aside by whoever had it.
    reserves: int = 1
    releases: int = 0
    buries: int = 0

    @classmethod
    def read(cls, data: bytes) -> JobFacts:
        """What stands in the answer; what makes no sense in it is as good as not there."""
        # Asked for every job: to read the whole document takes ten times as long.
        return cls(**{_FIELDS[name]: int(number) for name, number in _TOLD.findall(data)})

    @property
    def failures(self) -> int:
        """How often whoever had it went without a word, or did not finish in time."""
        return max(self.reserves - 1 - self.releases - self.buries, 0)


class Job:
    """One job, reserved. Settle it once; settling never waits and never raises."""

    __slots__ = ("_hand", "body", "facts", "id", "is_lost", "is_settled", "server", "touch_at")

    def __init__(self, hand: Hand, server: str, number: int, body: bytes) -> None:
        self._hand = hand
        #: Whose job it is, since numbers begin anew when a server that keeps nothing does.
        self.server = server
        self.id = number
        self.body = body
        self.facts = JobFacts()
        #: Whether the server has taken it back.
        self.is_lost = False
        self.is_settled = False
        #: When the server must hear that it is being worked on.
        self.touch_at = 0.0

    def __repr__(self) -> str:
        state = "lost" if self.is_lost else "settled" if self.is_settled else "in hand"
        return f"<Job {self.id} of {self.tube!r}, {state}>"

    @property
    def identity(self) -> str:
        """What it is known by among the jobs of all servers, and of all that a server was."""
        return f"{self.server}-{self.id}"

    @property
    def tube(self) -> str:
        """Where it came from."""
        return self._hand.tube

    def delete(self) -> None:
        """It is done with."""
        self._settle(Verb.DELETE, self.id)

    def release(self, delay: int = 0) -> None:
        """It goes back to its place in the tube, after so many seconds."""
        self._settle(Verb.RELEASE, self.id, self.facts.priority, delay)

    def bury(self) -> None:
        """It is set aside until somebody kicks it."""
        self._settle(Verb.BURY, self.id, self.facts.priority)

    async def delete_for_certain(self) -> bool:
        """Delete it, and return when the server has; False if it was lost before, and will come again."""
        if self.is_settled:
            return False
        done: asyncio.Future[bool] = asyncio.get_running_loop().create_future()

        def take(answer: Answer | None) -> None:
            if not done.done():
                done.set_result(answer is not None and answer.word is Word.DELETED)

        if not self._hand.settle(self, request(Verb.DELETE, self.id), take):
            return False
        return await done

    def _settle(self, verb: Verb, *words: int) -> None:
        if not self.is_settled:
            self._hand.settle(self, request(verb, *words), self._hand.settled)
