"""The SQL, word for word."""

from __future__ import annotations

import pytest

from penstock.pipelines.tables.upserts.statements import Statements


def statements(order: str | None = None) -> Statements:
    return Statements(table="t", key=("id", "part"), order=order, quote=lambda name: f'"{name}"')


def test_a_row_takes_the_place_of_the_one_with_its_key() -> None:
    assert statements().upsert(["id", "part", "n"], "VALUES (?, ?, ?)") == (
        'INSERT INTO t ("id", "part", "n") VALUES (?, ?, ?) ON CONFLICT ("id", "part")'
        ' DO UPDATE SET "n" = excluded."n"'
    )


def test_nothing_but_a_key_is_there_or_not() -> None:
    assert statements().upsert(["id", "part"], "VALUES (?, ?)").endswith("DO NOTHING")


@pytest.mark.parametrize(
    ("order", "where"), [(None, ""), ("at", ' WHERE (t."at" IS NULL OR t."at" <= excluded."at")')]
)
def test_an_older_row_changes_nothing(order: str | None, where: str) -> None:
    made = statements(order).upsert(["id", "part", "at"], "SELECT 1")
    assert made.endswith(f'SET "at" = excluded."at"{where}')


def test_deleting() -> None:
    assert statements().delete_one() == 'DELETE FROM t WHERE "id" = ? AND "part" = ?'
    assert statements("at").delete_one().endswith('AND ("at" IS NULL OR "at" <= ?)')
    assert statements("at").delete_all("s") == (
        'DELETE FROM t USING s WHERE t."id" = s."id" AND t."part" = s."part"'
        ' AND (t."at" IS NULL OR t."at" <= s."at")'
    )
