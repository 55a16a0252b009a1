from __future__ import annotations

from penstock.pipelines.databases.columns import Column, Kind
from penstock.pipelines.databases.port import Asked, key_names


def test_the_columns_of_a_key_have_names_that_no_column_could_spoil() -> None:
    key = (Column("content", Kind.TEXT), Column("a b`", Kind.INTEGER))
    assert key_names(Asked(table="t", key=key, content=())) == ["key_0", "key_1"]
