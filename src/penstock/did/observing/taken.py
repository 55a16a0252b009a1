"""A message that Spark has taken from a queue, behind the port Received.

The reader of the queue is done with a whole batch at once, so nothing is settled here: what was decided is
written down, and whoever has the batch does it before the batch is done.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Any

import msgspec

from penstock.messaging.message import Destination, Heading, Message, Wishes

if TYPE_CHECKING:
    from collections.abc import Mapping

    from penstock.messaging.message import Death
    from penstock.messaging.tracing import Trace

__all__ = ["COLUMNS", "Settled", "Taken"]

#: What of a message is needed for a copy of it.
COLUMNS = ("position", "body", "message_id", "type", "exchange", "routing_key", "headers")


class Settled(Enum):
    """What was decided about a message."""

    NOT = "not"
    DONE = "done"
    REJECTED = "rejected"
    RETURNED = "returned"


class Taken:
    """A message of a queue, as the columns of a row."""

    __slots__ = ("_message", "_queue", "_row", "settled")

    def __init__(self, queue: str, row: Mapping[str, Any]) -> None:
        """A message.

        Args:
            queue: Which queue it is of.
            row: By COLUMNS.
        """
        self._queue = queue
        self._row = row
        self._message: Message | None = None
        self.settled = Settled.NOT

    def __repr__(self) -> str:
        return f"<Taken {self._row['message_id']} from {self._queue!r}, {self.settled.value}>"

    @property
    def message(self) -> Message:
        if self._message is None:
            row = self._row
            self._message = Message(
                body=self.body,
                id=row["message_id"] or "",
                type=row["type"] or "",
                headers=msgspec.json.decode(row["headers"]) if row["headers"] else {},
            )
        return self._message

    @property
    def heading(self) -> Heading:
        message = self.message
        return Heading(message.type, message.version, message.content_type)

    @property
    def type(self) -> str:
        return self.message.type

    @property
    def body(self) -> bytes:
        return bytes(self._row["body"])

    @property
    def trace(self) -> Trace | None:
        return None

    @property
    def wishes(self) -> Wishes:
        return Wishes()

    @property
    def queue(self) -> str:
        return self._queue

    @property
    def destination(self) -> Destination:
        return Destination(self._row["exchange"] or "", self._row["routing_key"] or "")

    @property
    def redelivered(self) -> bool:
        return False

    @property
    def is_lost(self) -> bool:
        return False

    @property
    def delivery_count(self) -> int:
        return 0

    @property
    def deaths(self) -> tuple[Death, ...]:
        return ()

    def ack(self) -> None:
        self.settled = Settled.DONE

    async def ack_for_certain(self) -> bool:
        self.ack()
        return True

    def reject(self) -> None:
        self.settled = Settled.REJECTED

    def requeue(self) -> None:
        self.settled = Settled.RETURNED
