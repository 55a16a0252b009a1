"""Replay: what was relayed once is published again, for a broker or a consumer that has lost it.

Messages keep their ids: whoever has handled one already, and has an inbox, does nothing the second time.
They go where they once went, or to the queue of one consumer. They are published directly, in the order in
which they were added, beside what the relay publishes meanwhile.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from sqlalchemy import func, select, update

from penstock.errors import ClientError, OutboxError
from penstock.messaging import Destination
from penstock.messaging.dead_letters.pace import Pace
from penstock.outbox.archive import read_archive
from penstock.outbox.envelope import COLUMNS, Row
from penstock.outbox.table import WAITING

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterable, Sequence
    from pathlib import Path

    from sqlalchemy import ColumnElement
    from sqlalchemy.engine import Connection

    from penstock.messaging import Broker, Message
    from penstock.outbox.database import Database
    from penstock.outbox.outbox import Outbox

__all__ = ["REPLAYED", "Selection", "archived", "count_kept", "kept", "replay"]

#: A replayed message has this header, so that a handler can tell.
REPLAYED: Final = "x-penstock-replayed"

#: Rows that are read at a time.
PAGE: Final = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """Which messages; what is not said does not matter."""

    #: When they were added, in seconds since the epoch: from, and before.
    since: float | None = None
    until: float | None = None
    types: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()
    #: After the row with this sequence: where a replay that stopped is taken up again.
    after: int = 0

    def fits(self, row: Row) -> bool:
        """Whether a row of an archive is one of them."""
        return (
            row.sequence > self.after
            and (self.since is None or row.added_at >= self.since)
            and (self.until is None or row.added_at < self.until)
            and (not self.types or row.type in self.types)
            and (not self.ids or row.id in self.ids)
        )


def count_kept(connection: Connection, outbox: Outbox, selection: Selection) -> int:
    """How many relayed rows of an outbox fit now."""
    query = select(func.count()).select_from(outbox.table).where(*_wanted(outbox, selection))
    return int(connection.execute(query).scalar_one())


async def kept(database: Database, outbox: Outbox, selection: Selection) -> AsyncIterator[Sequence[Row]]:
    """The relayed rows of an outbox that fit, some at a time; what waits is the relay's business.

    Whoever asks for the next has published these: they are counted as relayed once more.
    """
    after = selection.after
    # What is relayed from now on has just been published.
    last = await database.run(lambda connection: connection.scalar(select(func.max(outbox.table.c.sequence))))
    while rows := await database.run(_page, outbox, replace(selection, after=after), last or 0):
        yield rows
        await database.run(_count, outbox, rows)
        after = rows[-1].sequence


async def archived(files: Iterable[Path], selection: Selection) -> AsyncIterator[Sequence[Row]]:
    """The rows of archives that fit, some at a time."""
    rows: list[Row] = []
    for file in files:
        for row in read_archive(file):
            if selection.fits(row):
                rows.append(row)
            if len(rows) == PAGE:
                yield rows
                rows = []
    yield rows


async def replay(
    rows: AsyncIterator[Sequence[Row]],
    broker: Broker,
    *,
    queue: str | None = None,
    rate: float | None = None,
    on_progress: Callable[[int], object] = lambda _: None,
) -> int:
    """Publish rows again, and return how many.

    Args:
        rows: From `kept`, or `archived`.
        broker: Where to.
        queue: Only this queue gets them; None is wherever they went.
        rate: At most so many a second.
        on_progress: Told how many are published so far.

    Raises:
        OutboxError: one could not be published; it says where to take the replay up again.
    """
    pace = Pace(rate, broker.clock)
    count = 0
    async for page in rows:
        for start in range(0, len(page), pace.burst):
            together = page[start : start + pace.burst]
            await pace.take(len(together))
            await _publish(together, broker, queue, count)
            count += len(together)
            on_progress(count)
    return count


async def _publish(rows: Sequence[Row], broker: Broker, queue: str | None, count: int) -> None:
    now = broker.clock.now()
    messages = [(_marked(row.message(now)), _destination(row, queue)) for row in rows]
    errors: Sequence[ClientError | None]
    try:
        errors = await broker.publish_many(messages)
    except ClientError as exc:
        errors = [exc] * len(rows)
    for row, error in zip(rows, errors, strict=True):
        if error is not None:
            raise OutboxError(
                f"{row.type or 'message'} {row.id} could not be published again: {error};"
                f" {count} were before, go on after {row.sequence - 1}"
            ) from error
        count += 1


def _destination(row: Row, queue: str | None) -> Destination:
    return row.destination if queue is None else Destination.queue(queue)


def _marked(message: Message) -> Message:
    return replace(message, headers={**message.headers, REPLAYED: 1})


def _count(connection: Connection, outbox: Outbox, rows: Sequence[Row]) -> None:
    """They were published once more."""
    table = outbox.table.c
    these = table.sequence.in_([row.sequence for row in rows])
    again = {"relayed": table.relayed + 1, "relayed_at": outbox.clock.now()}
    connection.execute(update(outbox.table).where(these).values(again))


def _page(connection: Connection, outbox: Outbox, selection: Selection, last: int) -> list[Row]:
    table = outbox.table.c
    query = select(*(table[name] for name in COLUMNS)).where(*_wanted(outbox, selection))
    page = query.where(table.sequence <= last).order_by(table.sequence).limit(PAGE)
    return [Row._make(row) for row in connection.execute(page)]


def _wanted(outbox: Outbox, selection: Selection) -> list[ColumnElement[bool]]:
    table = outbox.table.c
    wanted = [table.sequence > selection.after, table.relayed > WAITING]
    if selection.since is not None:
        wanted.append(table.added_at >= selection.since)
    if selection.until is not None:
        wanted.append(table.added_at < selection.until)
    if selection.types:
        wanted.append(table.type.in_(selection.types))
    if selection.ids:
        wanted.append(table.id.in_(selection.ids))
    return wanted
