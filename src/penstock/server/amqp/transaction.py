"""Transaction: publishes and settlements of a channel that wait for a commit (AMQP 0-9-1: tx)."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any

from penstock.server.amqp.errors import precondition
from penstock.wire.amqp.items import BODY_END, REJECT
from penstock.wire.amqp.methods import TxCommitOk

if TYPE_CHECKING:
    from penstock.server.amqp.channel import Channel

__all__ = ["Transaction"]


class Transaction:
    """What a transactional channel has gathered."""

    __slots__ = ("_channel", "_publishes", "_settled", "_settlements")

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._publishes: list[Any] = []
        self._settlements: list[Any] = []
        #: Tags among them that were named one by one.
        self._settled: set[int] = set()

    def publish(self, items: list[Any]) -> None:
        """Publishes that wait; where they may not go, they are refused at once.

        Raises:
            PenstockError: one of them cannot be.
        """
        for args in {item[2]: None for item in items}:
            self._channel.publishing.check(args)
        self._publishes += items

    def publish_large(self, item: Any) -> None:
        """One whose body is in a file waits, too."""
        self.publish([item])

    def settle(self, item: Any) -> None:
        """A settlement that waits; one of nothing in hand is refused at once.

        Raises:
            ChannelFault: 406, nothing with that tag is in hand.
        """
        kind, _, tag, *rest = item
        ledger = self._channel.ledger
        if kind is not REJECT and rest[0]:
            is_known = tag <= ledger.last_tag
        else:
            is_known = tag in ledger.unsettled and tag not in self._settled
            self._settled.add(tag)
        if not is_known:
            raise precondition(f"unknown delivery tag {tag}")
        self._settlements.append(item)

    def commit(self) -> None:
        """Do it all; the answer leaves when what has to be on disk is there."""
        channel = self._channel
        broker = channel.session.broker
        publishes, settlements = self._publishes, self._settlements
        self.rollback()
        before = broker.unwritten
        channel.publishing.has_refused = False
        self._publish(publishes)
        for item in settlements:
            channel.settling.settle(item)
        if channel.publishing.has_refused:
            raise precondition("partial tx completion")
        if broker.unwritten != before:
            broker.after_write(self)
        else:
            self.written(0)

    def _publish(self, publishes: list[Any]) -> None:
        publishing = self._channel.publishing
        for is_large, run in groupby(publishes, lambda item: item[0] is BODY_END):
            if is_large:
                for item in run:
                    publishing.publish_large(item)
            else:
                publishing.publish(list(run))

    def rollback(self) -> None:
        """Forget it all; what is in hand stays in hand."""
        self._publishes = []
        self._settlements = []
        self._settled = set()

    def written(self, batch: int) -> None:
        """What was committed is on disk."""
        if self._channel.is_open:
            self._channel.send(TxCommitOk())
