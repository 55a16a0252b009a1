"""A table with a column of every kind, and rows that are hard to tell, for all databases alike."""

from __future__ import annotations

import uuid
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from penstock.pipelines.databases.columns import column_of
from penstock.pipelines.databases.port import Asked

if TYPE_CHECKING:
    from sqlalchemy.engine import Engine

    from penstock.pipelines.databases.port import Readable

THINGS = sa.Table(
    "things",
    sa.MetaData(),
    sa.Column("id", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("part", sa.String, primary_key=True),
    sa.Column("whole", sa.Integer),
    sa.Column("is_open", sa.Boolean),
    sa.Column("price", sa.Numeric(10, 2, asdecimal=True)),
    sa.Column("ratio", sa.Double),
    sa.Column("Title of it", sa.Text),
    sa.Column("data", sa.LargeBinary),
    sa.Column("at", sa.DateTime(timezone=True)),
    sa.Column("day", sa.Date),
    sa.Column("known_by", sa.Uuid),
    sa.Column("more", sa.JSON(none_as_null=True)),
)
MANY: list[dict[str, Any]] = [
    {
        "id": number,
        "part": f"p{number % 3}",
        "whole": number - 50,
        "is_open": number % 2 == 0,
        "price": Decimal(number) / 4,
        "ratio": number / 7,
        "Title of it": f"é{number}|:",
        "data": bytes([number]),
        "at": datetime(2026, 1, 1, tzinfo=UTC) + timedelta(microseconds=500_000 * number),
        "day": date(2026, 1, 1) + timedelta(days=number),
        "known_by": uuid.UUID(int=number),
        "more": {"bb": number, "a": [0.5, None, "ü"]},
    }
    for number in range(100)
]
#: Nothing at all, and everything empty: two states.
EMPTY: list[dict[str, Any]] = [
    {"id": -1, "part": "", **dict.fromkeys(list(MANY[0])[2:])},
    {
        **MANY[0],
        "id": -2,
        "Title of it": "",
        "data": b"",
        "more": {},
        "at": datetime(2026, 1, 1, 2, tzinfo=timezone(timedelta(hours=2))).astimezone(UTC),
    },
]
ROWS = MANY + EMPTY


def asked(table: sa.Table = THINGS) -> Asked:
    columns = [column_of(column) for column in table.c]
    width = len(table.primary_key.columns)
    return Asked(table=table.name, key=tuple(columns[:width]), content=tuple(columns[width:]))


def filled(engine: Engine) -> None:
    THINGS.metadata.create_all(engine)
    with engine.begin() as connection:
        connection.execute(sa.insert(THINGS), ROWS)


def read(table: Readable, parts: int = 3) -> dict[tuple[Any, ...], str]:
    """All rows, by their keys."""
    rows: dict[tuple[Any, ...], str] = {}
    with table.opened(parts) as found:
        for part in found:
            for batch in part.batches():
                for *key, content in zip(*(column.to_pylist() for column in batch.columns), strict=True):
                    assert tuple(key) not in rows, "read twice"
                    rows[tuple(key)] = content
    return rows
