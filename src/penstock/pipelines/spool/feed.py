"""The port of a spool: where its messages come from. Adapters are amqp.py and beanstalk.py."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from penstock.pipelines.spool.lot import Lot
    from penstock.wire.amqp import BasicProperties

__all__ = ["Fed", "Feed"]


class Fed(Protocol):
    """A message by itself, for adapters that have no frames: `Lot.of` makes them.

    `penstock.client.Delivery` is one.
    """

    #: A broker without properties makes some up; the message id is what a second delivery is known by.
    properties: BasicProperties

    @property
    def exchange(self) -> str:
        """Where it was published to."""

    @property
    def routing_key(self) -> str:
        """What it was published with."""

    @property
    def body(self) -> bytes:
        """What it says."""

    @property
    def redelivered(self) -> bool:
        """Whether somebody may have had it before."""


class Feed(Protocol):
    """Messages of one queue. One thread calls `next` and `ack`, any may call `left` and `close`."""

    @property
    def waited(self) -> int:
        """How many messages waited in the queue before the first was taken: `left` misses some at times."""
        ...

    def next(self, wait: float) -> Lot | None:
        """What has come; if nothing has, what comes first within so many seconds, or None.

        Raises:
            NotConnected: nothing comes at the moment; it may, after a while. Only after so many seconds.
            PenstockError: nothing will come any more, and why.
        """
        ...

    def ack(self, lot: Lot) -> None:
        """They are on disk here: the broker may forget them."""

    def left(self) -> int:
        """How many messages are still to come: those that wait at the broker, and those that are in hand.

        Those that are just on the line between the two are in neither. If none waits at the broker, no lot is
        held back any longer for more to join it.

        Raises:
            NotConnected, PenstockError: as of `next`.
        """
        ...

    def close(self) -> None:
        """Let nothing more come; what is in hand goes back to the queue."""
