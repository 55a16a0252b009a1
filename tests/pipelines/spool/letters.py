"""Messages in hand, and a feed of them, for tests that need no broker."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from penstock.pipelines.spool.lot import Lot
from penstock.wire.amqp import BasicProperties

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(slots=True, eq=False)
class Letter:
    """As `penstock.client.Delivery`, as far as a spool looks at it."""

    body: bytes
    properties: BasicProperties = field(default_factory=BasicProperties.of)
    exchange: str = "post"
    routing_key: str = "letters"
    redelivered: bool = False


def letter(number: int, body: bytes | None = None) -> Letter:
    """A letter with an id."""
    return Letter(
        b"letter %d" % number if body is None else body, BasicProperties.of(message_id=f"l{number}")
    )


def letters(first: int, last: int) -> list[Letter]:
    return [letter(number) for number in range(first, last + 1)]


def lot(first: int, last: int | None = None) -> Lot:
    """Letters side by side; one alone, if no last one is given."""
    return lot_of(*letters(first, last if last is not None else first))


def lot_of(*some: Letter) -> Lot:
    return Lot.of(some, origin=some)


class LetterBox:
    """A feed that somebody fills."""

    def __init__(self, *waiting: Sequence[Letter]) -> None:
        self._waiting = list(waiting)
        self._came = threading.Condition()
        self.acked: list[Letter] = []
        self._in_hand = 0
        self.is_closed = False

    def put(self, *some: Letter) -> None:
        with self._came:
            self._waiting.append(list(some))
            self._came.notify()

    def next(self, wait: float) -> Lot | None:
        with self._came:
            if not self._waiting:
                self._came.wait(wait)
            given = self._waiting.pop(0) if self._waiting else []
            self._in_hand += len(given)
            return lot_of(*given) if given else None

    def ack(self, lot: Lot) -> None:
        self.acked += lot.origin
        self._in_hand -= len(lot)

    @property
    def waited(self) -> int:
        return self.left()

    def left(self) -> int:
        return self._in_hand + sum(map(len, self._waiting))

    def close(self) -> None:
        self.is_closed = True
