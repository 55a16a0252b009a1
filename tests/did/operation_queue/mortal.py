"""Instances of a domain that end before or after any of their steps: a transaction, or a publish.

And a database whose answers are lost, while everybody lives on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.did.database import DomainDatabase
from penstock.did.operation_queue import OperationQueue
from penstock.errors import StoreError
from penstock.testing import Crash
from tests.did.operation_queue.helpers import PaperBroker

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    import sqlalchemy as sa

    from penstock.did.operation_queue import Cut, CutRules
    from penstock.did.parameters import DidParameters

    #: The step that is the last, counted from 1, and whether it is done.
    End = tuple[int, bool]


class Fuse:
    """Knows when it is over."""

    def __init__(self) -> None:
        self._left: int | None = None
        self._is_done = False

    def set(self, end: End | None) -> None:
        self._left, self._is_done = end or (None, False)

    def before(self) -> bool:
        """A step is about to be done; whether it is the last."""
        if self._left is not None:
            self._left -= 1
        if self._left == 0 and not self._is_done:
            raise Crash
        return self._left == 0


class MortalDatabase(DomainDatabase):
    """The same database for all, and a fuse for each."""

    def __init__(self, engine: sa.Engine, fuse: Fuse) -> None:
        super().__init__(engine)
        self._fuse = fuse

    async def run(self, work: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        return self._step(self.do, work, *args, **kwargs)

    async def ask(self, work: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        return self._step(self.read, work, *args, **kwargs)

    def _step(self, verb: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        is_last = self._fuse.before()
        found = verb(*args, **kwargs)
        if is_last:
            raise Crash
        return found


class Forgetful(DomainDatabase):
    """One that does what it is told, and then the connection is gone."""

    is_heard = False

    async def run(self, work: Any, *args: Any, **kwargs: Any) -> Any:
        found = await super().run(work, *args, **kwargs)
        if not self.is_heard:
            raise StoreError("the connection was lost")
        return found


class MortalBroker(PaperBroker):
    """The same broker for all, and a fuse for each."""

    def __init__(self, shared: PaperBroker, fuse: Fuse) -> None:
        super().__init__(shared.clock)
        self._shared = shared
        self._fuse = fuse
        #: What others do before the confirms are here.
        self.meanwhile: Callable[[], Awaitable[None]] = _nothing

    async def publish_many(self, messages: Any, *, timeout: float | None = None) -> Any:  # noqa: ASYNC109  the port's own
        is_last = self._fuse.before()
        found = await self._shared.publish_many(messages, timeout=timeout)
        await self.meanwhile()
        if is_last:
            raise Crash
        return found


async def _nothing() -> None:
    """Nobody does anything."""


class Instance:
    """A process, as far as this story goes."""

    def __init__(
        self,
        number: int,
        engine: sa.Engine,
        broker: PaperBroker,
        parameters: DidParameters,
        rules: CutRules,
    ) -> None:
        self.fuse = Fuse()
        self.broker = MortalBroker(broker, self.fuse)
        database = MortalDatabase(engine, self.fuse)
        self.queue = OperationQueue(database, parameters, me=f"instance-{number}", rules=rules)
        #: Those in hand.
        self.cuts: list[Cut] = []
