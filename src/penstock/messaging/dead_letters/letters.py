"""What people do about dead letters: look, edit and retry, redrive, delete."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Final
from uuid import uuid4

from penstock.errors import ClientError, MessagingError
from penstock.messaging.dead_letters.pace import Pace
from penstock.messaging.dead_letters.redriving import edited, redriven
from penstock.messaging.dead_letters.selection import Selection

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Sequence

    from penstock.messaging.dead_letters.record import DeadLetter, Group
    from penstock.messaging.dead_letters.redriving import Edit
    from penstock.messaging.dead_letters.store import DeadLetterStore
    from penstock.messaging.message import Destination, Message
    from penstock.messaging.port import Broker

__all__ = ["DeadLetters", "Redrive"]

#: Rows that are read at a time.
PAGE: Final = 500
#: Failures that are told one by one.
TOLD: Final = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Redrive:
    """What came of redriving."""

    redriven: int
    failed: int
    #: "<consumer> <message id>: <why>", of the first that could not be sent; they are as dead as before.
    errors: tuple[str, ...] = ()


class DeadLetters:
    """The dead letters of a store, and the broker they can be sent to once more.

    Args:
        store: Created already.
        broker: Needed by `retry` and `redrive` only.
    """

    def __init__(self, store: DeadLetterStore, broker: Broker | None = None) -> None:
        self._store = store
        self._maybe_broker = broker
        # Two who redrive the same group at once would send everything twice.
        self._lock = asyncio.Lock()

    async def find(
        self, selection: Selection | None = None, limit: int = 50, *, body_most: int | None = None
    ) -> Sequence[DeadLetter]:
        """Those that fit, the newest failure first; of bodies, so many bytes at most."""
        newest = self._store.newest
        return await self._store.run(newest, selection or Selection(), limit, body_most=body_most)

    async def groups(self, selection: Selection | None = None) -> Sequence[Group]:
        """Consumer, type and kind of error in common, with counts; the largest first."""
        return await self._store.run(self._store.groups, selection or Selection())

    async def queues(self, selection: Selection) -> Sequence[str]:
        """The queues that they came from, whether or not the selector fits."""
        return await self._store.run(self._store.queues, selection)

    async def show(self, message_id: str, consumer: str | None = None) -> DeadLetter:
        """One of them, with everything.

        Raises:
            UnknownDeadLetter: there is none.
        """
        return await self._store.run(self._store.get, message_id, consumer)

    async def delete(self, selection: Selection) -> int:
        """Delete those that fit; returns how many."""
        return await self._store.run(self._store.delete, selection)

    async def retry(self, message_id: str, edit: Edit, consumer: str | None = None) -> str:
        """Send an edited message in place of a dead one, to the same consumer; returns the new one's id.

        Raises:
            UnknownDeadLetter: there is none.
            PublishError: it could not be sent; nothing has changed.
        """
        async with self._lock:
            letter = await self.show(message_id, consumer)
            message, to = edited(letter, edit, uuid4().hex)
            await self._broker.publish(message, to)
            now = self._broker.clock.now()
            await self._store.run(self._store.mark_retried, letter, message.id, now)
        return message.id

    async def redrive(
        self,
        selection: Selection,
        *,
        rate: float | None = None,
        limit: int | None = None,
        on_progress: Callable[[int], object] = lambda _: None,
    ) -> Redrive:
        """Send those that fit to the consumer that failed on them, and to nobody else.

        Each is marked when its publication is confirmed: after a crash in between it may be sent twice,
        and none is lost. One that fails again while this goes on is not sent again.

        Args:
            selection: Which; the oldest failure goes first.
            rate: At most so many a second.
            limit: At most so many.
            on_progress: Told how many were tried so far.
        """
        async with self._lock:
            pace = Pace(rate, self._broker.clock)
            done, failed, errors = 0, 0, list[str]()
            async for chunk in self._chunks(selection, pace.burst, limit):
                await pace.take(len(chunk))
                wrong = await self._send(chunk)
                done += len(chunk) - len(wrong)
                failed += len(wrong)
                errors += wrong[: TOLD - len(errors)]
                on_progress(done + failed)
        return Redrive(redriven=done, failed=failed, errors=tuple(errors))

    @property
    def _broker(self) -> Broker:
        if self._maybe_broker is None:
            raise MessagingError("a dead letter can be sent with a broker only: give its URL")
        return self._maybe_broker

    async def _chunks(
        self, selection: Selection, size: int, limit: int | None
    ) -> AsyncIterator[Sequence[DeadLetter]]:
        """Those that fit, each once, so many at a time."""
        left = inf if limit is None else limit
        seen: set[tuple[str, str]] = set()
        after: DeadLetter | None = None
        while left > 0 and (page := await self._store.run(self._store.page, selection, after, PAGE)):
            after = page[-1]
            # What was redriven may fail again at once, and then stands at the end of the last page.
            fresh = [letter for letter in page if (letter.consumer, letter.message_id) not in seen]
            fitting = [letter for letter in fresh if selection.fits(letter)][: int(min(left, PAGE))]
            seen.update((letter.consumer, letter.message_id) for letter in fitting)
            left -= len(fitting)
            for start in range(0, len(fitting), size):
                yield fitting[start : start + size]

    async def _send(self, chunk: Sequence[DeadLetter]) -> list[str]:
        """Publish and mark them; returns what went wrong."""
        wrong: list[str] = []
        ready: list[DeadLetter] = []
        messages: list[tuple[Message, Destination]] = []
        for letter in chunk:
            try:
                messages.append(redriven(letter))
                ready.append(letter)
            except MessagingError as exc:
                wrong.append(_told(letter, exc))
        errors: Sequence[ClientError | None]
        try:
            errors = await self._broker.publish_many(messages)
        except ClientError as exc:
            errors = [exc] * len(messages)
        sent = [letter for letter, error in zip(ready, errors, strict=True) if error is None]
        await self._store.run(self._store.mark_redriven, sent, self._broker.clock.now())
        return wrong + [
            _told(letter, error) for letter, error in zip(ready, errors, strict=True) if error is not None
        ]


def _told(letter: DeadLetter, error: Exception) -> str:
    why = str(error) or type(error).__doc__ or type(error).__name__
    return f"{letter.consumer} {letter.message_id}: {why}"
