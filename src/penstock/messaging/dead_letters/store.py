"""The store of dead letters: a table, and the verbs on it.

Plain functions on a synchronous engine, which SQLite and psycopg are both good at and a command uses as it
is; an event loop calls them with `await store.run(store.keep, …)`, which has one thread do them, in order.
"""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from threading import Lock
from typing import TYPE_CHECKING, Final, ParamSpec, TypeVar

from sqlalchemy import delete, func, select, update

from penstock.errors import MessagingError, UnknownDeadLetter
from penstock.messaging.dead_letters.merging import merged
from penstock.messaging.dead_letters.querying import conditions, groups_of, is_key, page_of
from penstock.messaging.dead_letters.reading import LARGEST
from penstock.messaging.dead_letters.record import DEAD, REDRIVEN, RETRIED, Group
from penstock.messaging.dead_letters.rows import letter_of, row_of
from penstock.messaging.dead_letters.schema import letters, upgrade
from penstock.messaging.engine import INSERTS, open_engine, translating

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from sqlalchemy import Connection, Engine

    from penstock.messaging.dead_letters.record import DeadLetter
    from penstock.messaging.dead_letters.selection import Selection

__all__ = ["DeadLetterStore"]

P = ParamSpec("P")
T = TypeVar("T")

#: Rows that are read at a time.
PAGE: Final = 500


class DeadLetterStore:
    """Dead letters in a database; `create` it before anything else, `close` it at the end.

    Args:
        database: A URL, or an engine of the application's own, which stays open.
    """

    def __init__(self, database: str | Engine) -> None:
        self._is_own = isinstance(database, str)
        self._engine = open_engine(database) if isinstance(database, str) else database
        # In memory there is one connection, whoever comes.
        self._lock = Lock()
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="dead-letters")

    def __repr__(self) -> str:
        return f"<DeadLetterStore {self._engine.url.render_as_string(hide_password=True)}>"

    async def run(self, verb: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Have a verb of this store done without blocking the event loop."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._thread, partial(verb, *args, **kwargs))

    def create(self) -> None:
        """Make the table, or bring it to this version."""
        with self._transaction() as connection:
            upgrade(connection)

    def close(self) -> None:
        """Let go of the database."""
        self._thread.shutdown()
        if self._is_own:
            self._engine.dispose()

    # Keeping

    def keep(self, arrived: Iterable[DeadLetter]) -> int:
        """Write them down, all or none; returns how many were not there yet. Twice is as good as once."""
        with self._transaction() as connection:
            return sum(self._keep(connection, letter) for letter in arrived)

    def _keep(self, connection: Connection, letter: DeadLetter) -> bool:
        fresh = INSERTS[connection.dialect.name](letters).values(row_of(letter)).on_conflict_do_nothing()
        if connection.execute(fresh.returning(letters.c.message_id)).first() is not None:
            return True
        # Locked, so that another keeper cannot merge into the same row meanwhile.
        query = select(letters).where(is_key(letter)).with_for_update()
        kept = letter_of(connection.execute(query).mappings().one())
        now = merged(kept, letter)
        if now != kept:
            connection.execute(update(letters).where(is_key(letter)).values(row_of(now)))
        return False

    # Looking

    def get(self, message_id: str, consumer: str | None = None) -> DeadLetter:
        """One dead letter, in whatever state.

        Raises:
            UnknownDeadLetter: there is none.
            MessagingError: several consumers have one of that id, and none was named.
        """
        query = select(letters).where(letters.c.message_id == message_id)
        if consumer is not None:
            query = query.where(letters.c.consumer == consumer)
        with self._transaction() as connection:
            found = [letter_of(row) for row in connection.execute(query).mappings()]
        if not found:
            raise UnknownDeadLetter(f"no dead letter {message_id}" + (f" of {consumer}" if consumer else ""))
        if len(found) > 1:
            who = ", ".join(sorted(letter.consumer for letter in found))
            raise MessagingError(f"{message_id} is a dead letter of several consumers, name one: {who}")
        return found[0]

    def page(
        self, selection: Selection, after: DeadLetter | None = None, limit: int = PAGE
    ) -> list[DeadLetter]:
        """Those after the given one, the oldest failure first; the selector is not asked."""
        with self._transaction() as connection:
            rows = connection.execute(page_of(selection, after, limit)).mappings()
            return [letter_of(row) for row in rows]

    def newest(self, selection: Selection, limit: int, *, body_most: int | None = None) -> list[DeadLetter]:
        """Those that fit the selection, the newest failure first; of bodies, so many bytes at most."""
        found: list[DeadLetter] = []
        after: DeadLetter | None = None
        with self._transaction() as connection:
            while len(found) < limit:
                size = PAGE if selection.where else limit
                query = page_of(selection, after, size, newest_first=True, body_most=body_most)
                page = [letter_of(row) for row in connection.execute(query).mappings()]
                if not page:
                    break
                found += filter(selection.fits, page)
                after = page[-1]
        return found[:limit]

    def maybe_count(self, selection: Selection) -> int | None:
        """How many fit; None if there is a selector, which only a look at each can tell."""
        if selection.where:
            return None
        query = select(func.count()).select_from(letters).where(*conditions(selection))
        with self._transaction() as connection:
            return int(connection.execute(query).scalar_one())

    def groups(self, selection: Selection) -> list[Group]:
        """The groups of those that fit, the largest first."""
        if selection.where:
            raise MessagingError("groups are not counted by a selector: list with it instead")
        with self._transaction() as connection:
            return [Group(**row) for row in connection.execute(groups_of(selection)).mappings()]

    def queues(self, selection: Selection) -> list[str]:
        """The queues that they came from; the selector is not asked."""
        query = select(letters.c.queue).distinct().where(*conditions(selection)).order_by(letters.c.queue)
        with self._transaction() as connection:
            return list(connection.execute(query).scalars())

    def oldest_at(self, consumer: str | None = None) -> float | None:
        """When the oldest dead letter that may still be redriven, or is on its way, failed first.

        An inbox must remember at least since then, or a redriven message is applied twice.
        """
        query = select(func.min(letters.c.first_failure)).where(letters.c.state.in_([DEAD, REDRIVEN]))
        if consumer is not None:
            query = query.where(letters.c.consumer == consumer)
        with self._transaction() as connection:
            found: float | None = connection.execute(query).scalar()
            return found

    # Changing

    def mark_redriven(self, redriven: Iterable[DeadLetter], at: float) -> None:
        """They are on their way once more; one that has come back already stays as it came back."""
        with self._transaction() as connection:
            for letter in redriven:
                change = {"state": REDRIVEN, "redriven": min(letter.redriven + 1, LARGEST), "redriven_at": at}
                was = letters.c.redriven == letter.redriven
                connection.execute(update(letters).where(is_key(letter), was).values(change))

    def mark_retried(self, letter: DeadLetter, new_id: str, at: float) -> None:
        """An edited message was sent in place of this one."""
        change = {"state": RETRIED, "retried_as": new_id, "redriven_at": at}
        with self._transaction() as connection:
            connection.execute(update(letters).where(is_key(letter)).values(change))

    def delete(self, selection: Selection) -> int:
        """Delete those that fit; returns how many."""
        with self._transaction() as connection:
            if not selection.where:
                return int(connection.execute(delete(letters).where(*conditions(selection))).rowcount)
            count, after = 0, None
            while page := [
                letter_of(row) for row in connection.execute(page_of(selection, after, PAGE)).mappings()
            ]:
                after = page[-1]
                for letter in filter(selection.fits, page):
                    count += connection.execute(delete(letters).where(is_key(letter))).rowcount
            return count

    def forget(self, before: float) -> int:
        """Delete those that were redriven or retried before that time, and have not come back."""
        query = delete(letters).where(letters.c.state != DEAD, letters.c.redriven_at < before)
        with self._transaction() as connection:
            return int(connection.execute(query).rowcount)

    @contextmanager
    def _transaction(self) -> Iterator[Connection]:
        with self._lock, translating("the store of dead letters"), self._engine.begin() as connection:
            yield connection
