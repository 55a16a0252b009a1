"""A shelf in a database that all processes share: SQLite on one machine, PostgreSQL on many.

One row for each key has the value, or the claim on it. A hit is one read by the primary key. There is no copy
in any process's memory: what is forgotten is forgotten everywhere when `forget` returns.
"""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, Final, ParamSpec, TypeVar
from uuid import uuid4

from sqlalchemy import and_, bindparam, delete, func, select, update

from penstock.messaging.engine import INSERTS, READS, open_engine, translating
from penstock.workers.cached.schema import CACHE, values
from penstock.workers.cached.shelf import Claim

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from sqlalchemy import ColumnElement, Connection, Engine

    from penstock.workers.cached.shelf import Entry

__all__ = ["DatabaseShelf"]

P = ParamSpec("P")
T = TypeVar("T")

_c: Final = values.c
#: Values that are let go of with one statement.
SLICE: Final = 1000
#: What holds now, if anything does: on the path of every hit, so it is made once.
_HELD: Final = select(_c.token, _c.until, _c.value).where(
    _c.cache == bindparam("cache"), _c.key == bindparam("key"), _c.until > bindparam("now")
)


class DatabaseShelf:
    """Values in a database; the table is made when it is first needed.

    Args:
        database: A URL, such as `sqlite:///cache.db` or `postgresql://…`, or an engine of the application's
            own, which stays open.
    """

    is_shared = True

    def __init__(self, database: str | Engine) -> None:
        self._is_own = isinstance(database, str)
        self._engine = (
            open_engine(database, what="cached values", setting="shelf")
            if isinstance(database, str)
            else database
        )
        self._reading = self._engine.execution_options(**{READS: True})
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="cache")
        self._is_made = False

    def __repr__(self) -> str:
        return f"<DatabaseShelf {self._engine.url.render_as_string(hide_password=True)}>"

    async def run(self, verb: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Have a verb of this shelf done in its thread."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._thread, partial(verb, *args, **kwargs))

    def close(self) -> None:
        """Let go of the database."""
        self._thread.shutdown()
        if self._is_own:
            self._engine.dispose()

    # The verbs

    def claim(self, entry: Entry, *, now: float, until: float, maker: str = "") -> bytes | Claim:
        """The value, or the claim on it."""
        with self._transaction(reads=True) as connection:
            found = _maybe_found(connection, entry, now)
        if isinstance(found, bytes) or (found is not None and not maker):
            return found
        wanted = {"until": until, "maker": maker}
        while True:
            with self._transaction() as connection:
                found = (
                    _maybe_claimed(connection, entry, now, wanted)
                    or _maybe_begun(connection, entry, now, wanted)
                    or _maybe_found(connection, entry, now)
                )
            # Forgotten by somebody between the two statements: then it can be claimed.
            if found is not None:
                return found

    def renew(self, entry: Entry, token: str, until: float) -> None:
        """Have a claim hold until then."""
        mine = and_(_is(entry), _c.token == token, _c.value.is_(None))
        with self._transaction() as connection:
            connection.execute(update(values).where(mine).values(until=until))

    def keep(
        self, entry: Entry, token: str, value: bytes, *, now: float, expires_at: float, room: int
    ) -> bool:
        """Keep a value whose claim stands."""
        if len(value) > room:
            self.release(entry, token)
            return False
        made = {"value": value, "size": len(value), "until": expires_at, "kept_at": now}
        with self._transaction() as connection:
            changed = update(values).where(_is(entry), _c.token == token).values(made)
            if not connection.execute(changed).rowcount:
                return False
            _tidy(connection, entry.cache, now, room)
        return True

    def release(self, entry: Entry, token: str) -> None:
        """Give up a claim."""
        with self._transaction() as connection:
            mine = and_(_is(entry), _c.token == token, _c.value.is_(None))
            connection.execute(delete(values).where(mine))

    def forget(self, entry: Entry) -> None:
        """Have no value, and no claim."""
        with self._transaction() as connection:
            connection.execute(delete(values).where(_is(entry)))

    # How

    @contextmanager
    def _transaction(self, *, reads: bool = False) -> Iterator[Connection]:
        with translating("the cached values"):
            if not self._is_made:
                with self._engine.begin() as connection:
                    CACHE.upgrade(connection)
                self._is_made = True
            with (self._reading if reads else self._engine).begin() as connection:
                yield connection


def _is(entry: Entry) -> ColumnElement[bool]:
    return and_(_c.cache == entry.cache, _c.key == entry.key)


def _maybe_found(connection: Connection, entry: Entry, now: float) -> bytes | Claim | None:
    """What holds now, if anything does."""
    row = connection.execute(_HELD, {"cache": entry.cache, "key": entry.key, "now": now}).first()
    if row is None:
        return None
    return Claim(row.token, row.until, is_own=False) if row.value is None else bytes(row.value)


def _maybe_claimed(
    connection: Connection, entry: Entry, now: float, wanted: Mapping[str, Any]
) -> Claim | None:
    """A new claim, if nothing holds. Of two who try at once, the database lets one."""
    claim = {"token": uuid4().hex, "value": None, "size": 0, "kept_at": 0.0, **wanted}
    insert = INSERTS[connection.dialect.name](values).values(cache=entry.cache, key=entry.key, **claim)
    over = insert.on_conflict_do_update(index_elements=["cache", "key"], set_=claim, where=_c.until <= now)
    made = connection.execute(over.returning(_c.token)).first()
    return None if made is None else Claim(made.token, wanted["until"], is_own=True)


def _maybe_begun(connection: Connection, entry: Entry, now: float, wanted: Mapping[str, Any]) -> Claim | None:
    """The claim that holds, for a job that works under it from now on, if no other does."""
    if not wanted["maker"]:
        return None
    is_free = and_(_c.value.is_(None), _c.until > now, func.coalesce(_c.maker, "").in_(["", wanted["maker"]]))
    begun = update(values).where(_is(entry), is_free).values(wanted).returning(_c.token)
    row = connection.execute(begun).first()
    return None if row is None else Claim(row.token, wanted["until"], is_own=True)


def _tidy(connection: Connection, cache: str, now: float, room: int) -> None:
    """Let go of what holds no longer, then of what was kept longest ago."""
    mine = _c.cache == cache
    connection.execute(delete(values).where(mine, _c.until <= now))
    over = connection.execute(select(func.sum(_c.size)).where(mine)).scalar_one() - room
    # A slice at a time: mostly one value has to go, and after the room was made smaller all but a few.
    oldest = select(_c.key, _c.size).where(mine, _c.size > 0).order_by(_c.kept_at).limit(SLICE)
    # Others may have let go of them meanwhile.
    while over > 0 and (rows := connection.execute(oldest).all()):
        gone = []
        for key, size in rows:
            gone.append(key)
            over -= size
            if over <= 0:
                break
        connection.execute(delete(values).where(mine, _c.key.in_(gone)))
