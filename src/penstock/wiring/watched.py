"""A wiring that keeps a diary of every message's life. Each part is the usual one, and notes what it does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.wiring.connection import Connection
from penstock.wiring.ledger import Ledger
from penstock.wiring.life import Diary, Step
from penstock.wiring.queue import Queue
from penstock.wiring.template import Overflow
from penstock.wiring.wiring import Published, Wiring

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from penstock.wiring.consumer import Delivery
    from penstock.wiring.death import Reason
    from penstock.wiring.message import Message
    from penstock.wiring.reference import Reference

__all__ = ["WatchedWiring"]


class WatchedWiring(Wiring):
    """Notes what is published; its queues and ledgers note the rest."""

    def __init__(self, *args: Any, own: str, **kwargs: Any) -> None:
        """As any wiring.

        Args:
            own: the proxy that tells the diary to others: what is sent there is not noted.
        """
        self.diary = Diary(own)
        super().__init__(*args, **kwargs)

    def new_queue(self, *args: Any, **kwargs: Any) -> Queue:
        return WatchedQueue(self.diary, *args, **kwargs)

    def connect(self, name: str) -> Connection:
        return WatchedConnection(name, self.diary)

    def publish(self, proxy: str, messages: Collection[Message], now: float) -> Published:
        place = self.proxy(proxy)  # an unknown one is no step in anybody's life
        for message in messages:
            message.proxy = place.name
            self.diary.note(Step.PUBLISHED, message)
        published = super().publish(proxy, messages, now)
        for message in published.unroutable:
            self.diary.note(Step.UNROUTABLE, message)
        return published

    def place(self, queue: Queue, message: Message, now: float) -> Reference | None:
        self.diary.note(Step.PUBLISHED, message)
        return super().place(queue, message, now)


class WatchedQueue(Queue):
    """Notes what comes in, leaves, returns and dies."""

    def __init__(self, diary: Diary, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._diary = diary

    def put(self, message: Message, now: float) -> Reference | None:
        reference = super().put(message, now)
        if reference is not None or self.template.overflow is not Overflow.DEAD_LETTER:
            self._diary.note(Step.REFUSED if reference is None else Step.ROUTED, message, self.address)
        return reference  # a newcomer that may die here has died, and that was noted

    def pump(self, now: float, out: list[Delivery]) -> None:
        before = len(out)
        super().pump(now, out)
        self._note_delivered(out[before:])

    def get(self, ledger: Ledger, now: float, *, acks: bool = True) -> Delivery | None:
        got = super().get(ledger, now, acks=acks)
        if got is not None:
            self._note_delivered([got])
        return got

    def _handed(self, deliveries: list[Delivery], now: float) -> list[Delivery]:
        self._note_delivered(super()._handed(deliveries, now))
        return deliveries

    def _note_delivered(self, deliveries: Iterable[Delivery]) -> None:
        for delivery in deliveries:
            for reference in delivery.references:
                self._note(Step.DELIVERED, reference, delivery.consumer.name)

    def take_back(self, reference: Reference, now: float, **how: Any) -> None:
        self._note(Step.RETURNED, reference, reference.consumer.name, how.get("error") or "")
        super().take_back(reference, now, **how)

    def die(self, reference: Reference, reason: Reason, error: str | None = None) -> None:
        if not self.destroyed:
            told = f"{reason.value}: {error}" if error else reason.value
            self._note(Step.DEAD, reference, reason=told)
        super().die(reference, reason, error)

    def _note(self, step: Step, reference: Reference, consumer: str = "", reason: str = "") -> None:
        self._diary.note(step, reference.message, self.address, consumer, reference.acquired, reason)


class WatchedConnection(Connection):
    """Has ledgers that note what is done."""

    __slots__ = ("_diary",)

    def __init__(self, name: str, diary: Diary) -> None:
        super().__init__(name)
        self._diary = diary

    def new_ledger(self) -> Ledger:
        return WatchedLedger(self, self._diary)


class WatchedLedger(Ledger):
    """Notes what is acknowledged."""

    __slots__ = ("_diary",)

    def __init__(self, connection: Connection, diary: Diary) -> None:
        super().__init__(connection)
        self._diary = diary

    def settle(self, settled: list[Reference]) -> None:
        super().settle(settled)
        for reference in settled:
            consumer = reference.consumer
            self._diary.note(
                Step.ACKED, reference.message, consumer.queue.address, consumer.name, reference.acquired
            )
