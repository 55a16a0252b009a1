"""A publish under way: one message or many, one future, one deadline.

Knows neither channels nor sequence numbers; `confirms.py` tells it what became of each message.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Sequence

    from penstock.client.values import Outgoing
    from penstock.errors import PublishError

__all__ = ["Publishing", "SinglePublishing"]


class Publishing:
    """Messages published together. The future is done when all are settled, well or not."""

    __slots__ = ("deadline", "errors", "first", "future", "left", "outgoings")

    def __init__(self, outgoings: Sequence[Outgoing], deadline: float, future: asyncio.Future[None]) -> None:
        self.outgoings = outgoings
        self.deadline = deadline
        self.future = future
        #: How many are not settled yet.
        self.left = len(outgoings)
        #: The sequence number of the first, once they are sent.
        self.first = 0
        #: What went wrong, by position.
        self.errors: dict[int, PublishError] = {}

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.left} of {len(self.outgoings)} open, {len(self.errors)} failed>"

    def settle(self) -> None:
        """One more is settled; whether well is in `errors`."""
        self.left -= 1
        if not self.left:
            self.finish()

    def fail(self, position: int, error: PublishError) -> None:
        """One did not make it."""
        self.errors.setdefault(position, error)
        self.settle()

    def finish(self) -> None:
        """All are settled."""
        if not self.future.done():
            self.future.set_result(None)

    def abandon(self, error: Exception) -> None:
        """Nothing was sent, and nothing will be."""
        if not self.future.done():
            self.future.set_exception(error)

    @property
    def results(self) -> list[PublishError | None]:
        """What became of each: None is confirmed."""
        return [self.errors.get(position) for position in range(len(self.outgoings))]


class SinglePublishing(Publishing):
    """One message: its future raises what went wrong."""

    __slots__ = ()

    def finish(self) -> None:
        if not self.future.done():
            if self.errors:
                self.future.set_exception(self.errors[0])
            else:
                self.future.set_result(None)
