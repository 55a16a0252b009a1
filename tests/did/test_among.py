from __future__ import annotations

from typing import TYPE_CHECKING

import sqlalchemy as sa

from penstock.did.among import among, named_among, numbered_among

if TYPE_CHECKING:
    from penstock.did.database import DomainDatabase

T = sa.Table("t", sa.MetaData(), sa.Column("n", sa.Integer, primary_key=True), sa.Column("name", sa.String))


def test_many_texts_or_numbers_are_one_parameter(database: DomainDatabase) -> None:
    database.do(T.create)
    rows = [{"n": n, "name": f"née {n}"} for n in range(10)]
    database.do(lambda connection: connection.execute(sa.insert(T), rows))

    def found(connection: sa.Connection) -> tuple[list[int], list[int]]:
        by_name = sa.select(T.c.n).where(among(connection, T.c.name, ["née 3", "née 7", "none"]))
        by_number = sa.select(T.c.n).where(among(connection, T.c.n, range(8, 50_000)))
        return (
            list(connection.scalars(by_name.order_by(T.c.n))),
            list(connection.scalars(by_number.order_by(T.c.n))),
        )

    assert database.do(found) == ([3, 7], [8, 9])


def test_none_is_among_nothing(database: DomainDatabase) -> None:
    database.do(T.create)
    database.do(lambda connection: connection.execute(sa.insert(T).values(n=1, name="a")))
    assert database.do(lambda c: c.scalars(sa.select(T.c.n).where(among(c, T.c.name, []))).all()) == []


def test_names_among_many_find_their_rows_to_read_and_to_change(database: DomainDatabase) -> None:
    database.do(T.create)
    rows = [{"n": n, "name": f"née {n}"} for n in range(10)]
    database.do(lambda connection: connection.execute(sa.insert(T), rows))

    def change(connection: sa.Connection) -> list[int]:
        these = named_among(connection, T.c.name, ["née 7", "née 3", "none"], number=T.c.n)
        assert connection.execute(sa.update(T).where(these, T.c.n < 7).values(name="x")).rowcount == 1
        nothing = named_among(connection, T.c.name, [], number=T.c.n)
        assert connection.execute(sa.delete(T).where(nothing)).rowcount == 0
        return list(connection.scalars(sa.select(T.c.n).where(these)))

    assert database.do(change) == [7]


def test_rows_are_found_by_many_numbers(database: DomainDatabase) -> None:
    database.do(T.create)
    rows = [{"n": n, "name": f"née {n}"} for n in range(10)]
    database.do(lambda connection: connection.execute(sa.insert(T), rows))

    def names(connection: sa.Connection, *numbers: int) -> list[str]:
        asked = numbered_among(connection, sa.select(T.c.name).where(T.c.n > 2), T.c.n, numbers)
        return sorted(connection.scalars(asked))

    assert database.do(names, 7, 1, 3, *range(100, 50_000)) == ["née 3", "née 7"]
    assert database.do(names) == []
