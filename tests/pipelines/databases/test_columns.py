from __future__ import annotations

import uuid
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy.dialects import postgresql

from penstock.errors import BadSetting
from penstock.pipelines.databases.columns import Column, Kind, agreed, check_key, column_of, value_of


@pytest.mark.parametrize(
    ("declared", "expected"),
    [
        (sa.Boolean(), Column("c", Kind.BOOLEAN)),
        (sa.BigInteger(), Column("c", Kind.INTEGER)),
        (sa.Numeric(10, 2), Column("c", Kind.FIXED, 2)),
        (sa.Numeric(10, 0), Column("c", Kind.FIXED, 0)),
        (sa.Numeric(), Column("c", Kind.NUMERIC)),
        (sa.Double(), Column("c", Kind.FLOAT)),
        (sa.REAL(), Column("c", Kind.SINGLE)),
        (sa.DateTime(), Column("c", Kind.MOMENT)),
        (sa.DateTime(timezone=True), Column("c", Kind.MOMENT, is_zoned=True)),
        (sa.Date(), Column("c", Kind.DATE)),
        (sa.Uuid(), Column("c", Kind.UUID)),
        (postgresql.BYTEA(), Column("c", Kind.BYTES)),
        (postgresql.JSONB(), Column("c", Kind.JSON)),
        (sa.Text(), Column("c", Kind.TEXT)),
        # What nothing is known of has a text.
        (postgresql.INET(), Column("c", Kind.TEXT)),
        (sa.types.NullType(), Column("c", Kind.TEXT)),
    ],
    ids=repr,
)
def test_a_column_is_what_its_database_declares(declared: Any, expected: Column) -> None:
    assert column_of(sa.Column("c", declared)) == expected


def test_a_column_is_compared_as_the_database_sees_it_that_knows_most() -> None:
    text, moment = Column("at", Kind.TEXT), Column("at", Kind.MOMENT)
    assert agreed(text, [moment]) == agreed(moment, [text, text]) == moment
    assert agreed(Column("n", Kind.FIXED, 2), [Column("n", Kind.FIXED, 5)]).scale == 2
    assert agreed(text, []) == text


@pytest.mark.parametrize(
    ("column", "told", "value"),
    [
        (Column("c", Kind.INTEGER), 7, 7),
        (Column("c", Kind.BOOLEAN), "1", True),
        (Column("c", Kind.BOOLEAN), "0", False),
        (Column("c", Kind.FIXED, 2), "1.50", Decimal("1.5")),
        (Column("c", Kind.NUMERIC), "1.5", Decimal("1.5")),
        (Column("c", Kind.TEXT), "é|", "é|"),
        (Column("c", Kind.BYTES), "x00ff", b"\x00\xff"),
        (Column("c", Kind.MOMENT), "2026-01-02 03:04:05.5", datetime(2026, 1, 2, 3, 4, 5, 500_000)),  # noqa: DTZ001 (it has none)
        (
            Column("c", Kind.MOMENT, is_zoned=True),
            "2026-01-02 03:04:05",
            datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC),
        ),
        (Column("c", Kind.DATE), "2026-01-02", date(2026, 1, 2)),
        (Column("c", Kind.UUID), "00" * 15 + "01", uuid.UUID(int=1)),
    ],
    ids=str,
)
def test_a_keys_value_is_what_the_database_told(column: Column, told: Any, value: Any) -> None:
    check_key([column])
    assert value_of(column, told) == value


@pytest.mark.parametrize("kind", [Kind.FLOAT, Kind.SINGLE, Kind.JSON])
def test_rows_cannot_be_known_by_what_two_databases_tell_differently(kind: Kind) -> None:
    with pytest.raises(BadSetting, match=f"c is part of the primary key: rows cannot be known by a {kind}"):
        check_key([Column("id", Kind.INTEGER), Column("c", kind)])
