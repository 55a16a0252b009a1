"""The store of schedules: what no queue can keep, since it may still be cancelled or moved.

A row is the truth about its job until a scheduler has put it. A scheduler claims a due row for a while, puts
the job, and only then lets go of the row: one that dies in between leaves a claim that lapses, and the job is
put once more, with the same id. Plain functions on a synchronous engine; an event loop calls them with
`await store.run(store.put, …)`, which has one thread do them, in order.
"""

from __future__ import annotations

import asyncio
import contextvars
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, Final, ParamSpec, TypeVar

from sqlalchemy import and_, delete, func, or_, select, update

from penstock.messaging import Destination
from penstock.messaging.engine import INSERTS, READS, open_engine, translating
from penstock.messaging.tracing import TRACEPARENT, TRACESTATE, Trace, maybe_mark
from penstock.workers.schedules.scheduled import Claimed, Scheduled, Waiting
from penstock.workers.schedules.schema import SCHEDULES, firings, schedules

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from sqlalchemy import ColumnElement, Connection, Engine, Row

    from penstock.workers.cron import Cron

__all__ = ["Schedules"]

P = ParamSpec("P")
T = TypeVar("T")

_c: Final = schedules.c
JOB: Final = "job "
CRON: Final = "cron "
#: Seconds that it is known which put of a job counts: longer than another may wait in a queue.
FIRINGS_KEPT_S: Final = 7 * 86_400.0


class Schedules:
    """Schedules in a database; `create` it before anything else, `close` it at the end.

    Args:
        database: A URL, such as `sqlite:///schedules.db` or `postgresql://…`, or an engine of the
            application's own, which stays open.
    """

    def __init__(self, database: str | Engine) -> None:
        self._is_own = isinstance(database, str)
        self._engine = (
            open_engine(database, what="schedules", setting="schedules")
            if isinstance(database, str)
            else database
        )
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="schedules")

    def __repr__(self) -> str:
        return f"<Schedules {self._engine.url.render_as_string(hide_password=True)}>"

    async def run(self, verb: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Have a verb of this store done without blocking the event loop."""
        # The thread is part of the same trace.
        context = contextvars.copy_context()
        work = partial(context.run, verb, *args, **kwargs)
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)

    def create(self) -> None:
        """Make the table if it is not there, or bring it to this version."""
        with self._transaction() as connection:
            SCHEDULES.upgrade(connection)

    def close(self) -> None:
        """Let go of the database."""
        self._thread.shutdown()
        if self._is_own:
            self._engine.dispose()

    # Jobs with a key

    # Each takes a transaction of the application's own, too, if its tables are in the same database: what it
    # changes and what is to happen later are then committed together, or not at all.

    def put(self, row: Scheduled, on: Connection | None = None) -> None:
        """Keep a job until it is due, in place of another with its key that has not left."""
        trace = row.trace or maybe_mark(row.job, Destination.queue(row.queue))
        values = {
            "due_at": row.due_at,
            "claimed_until": 0.0,
            "job": row.job,
            "queue": row.queue,
            "body": row.body,
            "priority": row.priority,
            TRACEPARENT: trace and trace.parent,
            TRACESTATE: trace and trace.state,
        }
        self._upsert(JOB + row.key, values, on=on)

    def cancel(self, key: str, now: float, on: Connection | None = None) -> bool:
        """Forget a job; whether it was there and had not begun to leave."""
        with self._transaction(on) as connection:
            return connection.execute(delete(schedules).where(_is_free(JOB + key, now))).rowcount == 1

    def move(self, key: str, due_at: float, now: float, on: Connection | None = None) -> bool:
        """Have a job be due at another time; whether it was there and had not begun to leave."""
        changed = update(schedules).where(_is_free(JOB + key, now))
        with self._transaction(on) as connection:
            moved = connection.execute(changed.values(due_at=due_at, version=_c.version + 1))
            return moved.rowcount == 1

    def find(self, key: str) -> Scheduled | None:
        """The job under that key."""
        with self._transaction(reads=True) as connection:
            row = connection.execute(select(schedules).where(_c.key == JOB + key)).first()
        return None if row is None else _job(row)

    # To look at

    def waiting(self, now: float, limit: int) -> list[Waiting]:
        """What waits for its time, jobs and crons, the next first."""
        query = select(schedules).order_by(_c.due_at).limit(limit)
        with self._transaction(reads=True) as connection:
            return [_waiting(row, now) for row in connection.execute(query)]

    # Crons

    def follow(self, crons: Mapping[str, Cron], now: float) -> None:
        """Have a row for each; the next time of one that was changed is found anew."""
        for name, cron in crons.items():
            values = {"due_at": cron.next_after(now), "cron": str(cron), "claimed_until": 0.0}
            self._upsert(CRON + name, values, where=_c.cron != str(cron))

    def first_put(self, job: str, put: str, now: float) -> str:
        """The put of a job that counts: this one, if no other was named before."""
        insert = INSERTS[self._engine.dialect.name](firings).values(job=job, put=put, begun_at=now)
        with self._transaction() as connection:
            connection.execute(insert.on_conflict_do_nothing())
            found: str = connection.execute(select(firings.c.put).where(firings.c.job == job)).scalar_one()
        return found

    # What a scheduler does

    def claim(self, now: float, until: float, crons: Iterable[str], limit: int) -> list[Claimed]:
        """Take due rows that nobody is at, the oldest first; they are the caller's until then."""
        due = and_(_ours(crons), _c.due_at <= now, _c.claimed_until <= now)
        query = select(schedules).where(due).order_by(_c.due_at).limit(limit)
        with self._transaction() as connection:
            # SQLite has one writer anyway; in PostgreSQL others take what this one does not.
            rows = connection.execute(query.with_for_update(skip_locked=True)).all()
            keys = [row.key for row in rows]
            connection.execute(update(schedules).where(_c.key.in_(keys)).values(claimed_until=until))
            connection.execute(delete(firings).where(firings.c.begun_at < now - FIRINGS_KEPT_S))
        return [_claimed(row) for row in rows]

    def settle(self, put: Iterable[tuple[Claimed, float | None]]) -> None:
        """These jobs were put: each row is due again then, or goes; unless another has taken its place."""
        with self._transaction() as connection:
            for claimed, due_at in put:
                if due_at is None:
                    connection.execute(delete(schedules).where(_is(claimed)))
                else:
                    values = {"due_at": due_at, "claimed_until": 0.0, "version": claimed.version + 1}
                    connection.execute(update(schedules).where(_is(claimed)).values(values))

    def next_at(self, crons: Iterable[str]) -> float | None:
        """When there is something to claim; None if there is nothing at all."""
        # In the order of the index, so that a million that wait are not looked at: before the first that
        # nobody has claimed are those alone that somebody has.
        ours, is_claimed = _ours(crons), _c.claimed_until > _c.due_at
        free = select(_c.due_at).where(ours, ~is_claimed).order_by(_c.due_at).limit(1)
        lapse = select(func.min(_c.claimed_until)).where(ours, is_claimed)
        with self._transaction(reads=True) as connection:
            due_at = connection.execute(free).scalar()
            before = lapse if due_at is None else lapse.where(_c.due_at <= due_at)
            found = (due_at, connection.execute(before).scalar())
        return min((each for each in found if each is not None), default=None)

    # How

    def _upsert(
        self,
        key: str,
        values: dict[str, Any],
        where: ColumnElement[bool] | None = None,
        on: Connection | None = None,
    ) -> None:
        insert = INSERTS[self._engine.dialect.name](schedules).values(key=key, version=1, **values)
        changed = {**values, "version": _c.version + 1}
        with self._transaction(on) as connection:
            connection.execute(
                insert.on_conflict_do_update(index_elements=["key"], set_=changed, where=where)
            )

    @contextmanager
    def _transaction(self, on: Connection | None = None, *, reads: bool = False) -> Iterator[Connection]:
        if on is not None:
            yield on
            return
        engine = self._engine.execution_options(**{READS: True}) if reads else self._engine
        with translating("the schedules"), engine.begin() as connection:
            yield connection


def _ours(crons: Iterable[str]) -> ColumnElement[bool]:
    """Jobs are anybody's to put; a cron's job is known to those alone whose code has it."""
    return or_(_c.body.is_not(None), _c.key.in_([CRON + name for name in crons]))


def _is_free(key: str, now: float) -> ColumnElement[bool]:
    return and_(_c.key == key, _c.claimed_until <= now)


def _is(claimed: Claimed) -> ColumnElement[bool]:
    key = (JOB if claimed.scheduled else CRON) + claimed.key
    return and_(_c.key == key, _c.version == claimed.version)


def _job(row: Row[Any]) -> Scheduled:
    return Scheduled(
        key=row.key.removeprefix(JOB),
        job=row.job,
        due_at=row.due_at,
        queue=row.queue,
        body=bytes(row.body),
        priority=row.priority,
        trace=Trace(row.traceparent, row.tracestate) if row.traceparent else None,
    )


def _waiting(row: Row[Any], now: float) -> Waiting:
    kind, _, key = row.key.partition(" ")
    return Waiting(
        kind=kind,
        key=key,
        due_at=row.due_at,
        is_leaving=row.claimed_until > now,
        queue=row.queue,
        body=None if row.body is None else bytes(row.body),
        job=row.job,
        cron=row.cron,
    )


def _claimed(row: Row[Any]) -> Claimed:
    is_job = row.body is not None
    key = row.key.removeprefix(JOB if is_job else CRON)
    return Claimed(key=key, due_at=row.due_at, version=row.version, scheduled=_job(row) if is_job else None)
