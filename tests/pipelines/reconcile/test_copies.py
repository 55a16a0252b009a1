from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import sqlalchemy as sa

from penstock.errors import BadSetting
from penstock.outbox import SharedTable
from penstock.pipelines.databases.columns import Column, Kind
from penstock.pipelines.reconcile.copies import Copy, asked_of, found_in
from tests.pipelines.reconcile.shop import THREADS

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.pipelines.reconcile.shop import Shop


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("postgresql://me:secret@db:5433/commons?sslmode=require", "db:5433/commons"),
        ("postgresql://me@db/commons", "db/commons"),
        ("sqlite:////var/lib/copy.db", "var/lib/copy.db"),
    ],
)
def test_a_copy_is_called_by_where_it_is(url: str, name: str) -> None:
    assert Copy(url).name == name
    assert "secret" not in repr(Copy(url))


def test_what_is_no_url_has_no_name() -> None:
    with pytest.raises(BadSetting, match="a copy is named like"):
        assert Copy("db/commons").name


def test_a_copy_has_the_shared_columns(new_shop: Callable[[str], Shop]) -> None:
    shop, shared = new_shop("copy"), SharedTable(THREADS, columns=["title"])
    shop.change(sa.text("ALTER TABLE threads DROP COLUMN views"))
    # Of what consumers are not told there may be less.
    assert "title" in found_in(shop.engine, shared, "here").c
    with pytest.raises(BadSetting, match="threads in here has no column views"):
        found_in(shop.engine, SharedTable(THREADS), "here")
    shop.change(sa.text("DROP TABLE threads"))
    with pytest.raises(BadSetting, match="there is no table threads in here"):
        found_in(shop.engine, shared, "here")


def test_all_are_asked_in_words_that_all_have() -> None:
    copy = sa.Table("threads", sa.MetaData(), sa.Column("title", sa.JSON), sa.Column("views", sa.Text))
    asked = asked_of(SharedTable(THREADS), [copy, THREADS])
    assert (asked.table, asked.schema) == ("threads", None)
    assert asked.key == (Column("id", Kind.INTEGER),)
    assert asked.content == (Column("title", Kind.JSON), Column("views", Kind.INTEGER))


def test_a_key_must_be_of_a_kind_that_tells_rows_apart() -> None:
    table = sa.Table("marks", sa.MetaData(), sa.Column("mark", sa.Double, primary_key=True))
    with pytest.raises(BadSetting, match="mark is part of the primary key"):
        asked_of(SharedTable(table), [table])
