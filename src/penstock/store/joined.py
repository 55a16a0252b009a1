"""Joined: neighbours in the store that are alike, as one piece of bytes.

SQLite puts them together in one step, and gives the interpreter's lock away for all of it; row by row that
changes hands at each, and whoever writes meanwhile takes it. Measured with rows of 1 KB: a thread that reads
so holds the lock for 0.2 µs of the 2 µs that a row takes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from penstock.store.queries import load

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence

    from penstock.store.rows import Raw

__all__ = ["Joined", "fetch_raw"]

SQL: Final = load("read")
#: So many are looked at to see whether the others may be like them.
FEW: Final = 2


class Joined(NamedTuple):
    """Messages in the form of one front, with one proxy and destination, none of which was ever in hand."""

    sequences: range
    proxy: str
    destination: str
    #: One behind the other, and how long each is.
    contents: bytes
    lengths: list[int]


def fetch_raw(connection: sqlite3.Connection, place: dict[str, Any]) -> list[Raw] | Joined:
    """What is at a place, joined if that can be."""
    some: list[Raw] = connection.execute(SQL["fetch_raw"], place | {"limit": FEW}).fetchall()
    if len(some) < FEW:
        return some
    if _are_alike(some):
        _, _, proxy, destination, *_ = some[0]
        if (joined := _maybe_joined(connection, place, proxy, destination)) is not None:
            return joined
    rows: list[Raw] = connection.execute(SQL["fetch_raw"], place).fetchall()
    return rows


def _are_alike(rows: Sequence[Raw]) -> bool:
    _, _, proxy, destination, *_ = rows[0]
    return all(row[2:] == (proxy, destination, 0, 1) for row in rows)


def _maybe_joined(
    connection: sqlite3.Connection, place: dict[str, Any], proxy: str, destination: str
) -> Joined | None:
    """Neighbours whose messages are neighbours, too; None if some differ, or are missing in between.

    To look at the references first, and then at the messages alone, takes a third less than to join the two.
    """
    count, first, last, ahead, most = connection.execute(SQL["neighbours"], place).fetchone()
    if not count or last - first + 1 != count or ahead != most:
        return None
    run = {"first": first + ahead, "last": last + ahead}
    like = run | {"front": place["front"], "proxy": proxy, "destination": destination}
    found, shortest, longest, contents = connection.execute(SQL["contents"], like).fetchone()
    if found != count:
        return None
    if shortest == longest:
        lengths = [shortest] * count
    else:
        [said] = connection.execute(SQL["lengths"], run).fetchone()
        lengths = [*map(int, said.split(","))]
    # Another writer may have been here between two questions.
    is_whole = len(lengths) == count and sum(lengths) == len(contents)
    return Joined(range(first, last + 1), proxy, destination, contents, lengths) if is_whole else None
