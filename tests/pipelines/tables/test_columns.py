"""Which columns fit into a table."""

from __future__ import annotations

from typing import Any

import pytest

from penstock.errors import ColumnsChanged, TableError
from penstock.pipelines.tables.columns import fit, nullable, type_name


def schema(**columns: Any) -> dict[str, Any]:
    return {
        "type": "struct",
        "fields": [
            {"name": name, "type": kind, "nullable": False, "metadata": {}} for name, kind in columns.items()
        ],
    }


def names(found: dict[str, Any]) -> list[str]:
    return [field["name"] for field in found["fields"]]


LIST = {"type": "array", "elementType": "string", "containsNull": False}
MAP = {"type": "map", "keyType": "string", "valueType": "long", "valueContainsNull": False}


def test_a_new_table_has_the_rows_columns_and_all_may_be_null() -> None:
    found = fit(schema(id="string", tags=LIST, counts=MAP, who=schema(name="string")), None, partitions=())
    assert (found.added, names(found.table)) == ((), ["id", "tags", "counts", "who"])
    assert all(field["nullable"] for field in found.table["fields"])
    tags, counts, who = (field["type"] for field in found.table["fields"][1:])
    assert tags["containsNull"]
    assert counts["valueContainsNull"]
    assert who["fields"][0]["nullable"]


def test_a_new_column_is_added_at_the_end() -> None:
    found = fit(schema(colour="string", id="string"), schema(id="string", old="long"), partitions=())
    assert names(found.table) == ["id", "old", "colour"]
    assert [field["name"] for field in found.added] == ["colour"]


@pytest.mark.parametrize(
    ("given", "there"),
    [("integer", "long"), ("byte", "short"), ("short", "long"), ("float", "double"), (LIST, nullable(LIST))],
)
def test_a_narrower_type_fits(given: Any, there: Any) -> None:
    assert fit(schema(n=given), schema(n=there), partitions=()).added == ()


@pytest.mark.parametrize(
    ("given", "there", "told"),
    [
        ("long", "integer", "column n is long, and integer in the table"),
        ("string", "long", "column n is string, and long in the table"),
        ("double", "decimal(10,2)", "column n is double, and decimal(10,2) in the table"),
        (LIST, "string", "column n is array<string>, and string in the table"),
        (MAP, schema(a="long", b="string"), "map<string, long>, and struct<a long, b string> in the table"),
    ],
)
def test_another_type_is_one_clear_error(given: Any, there: Any, told: str) -> None:
    with pytest.raises(ColumnsChanged, match="give the new column another name") as caught:
        fit(schema(n=given), schema(n=there), partitions=())
    assert told in str(caught.value)


@pytest.mark.parametrize(
    "kind",
    ["void", schema(x="variant"), {**LIST, "elementType": "interval day"}, {**MAP, "valueType": "void"}],
)
def test_what_delta_cannot_keep_is_refused(kind: Any) -> None:
    with pytest.raises(TableError, match=r"Delta cannot keep n .*: convert it"):
        fit(schema(n=kind, price="decimal(10,2)", counts=MAP), None, partitions=())


@pytest.mark.parametrize(
    ("rows", "table"), [(schema(Id="long", id="long"), None), (schema(Id="long"), schema(id="long"))]
)
def test_names_that_differ_in_case_only_are_refused(rows: Any, table: Any) -> None:
    with pytest.raises(ColumnsChanged, match="differ in case only"):
        fit(rows, table, partitions=())


def test_a_partitions_column_must_be_there() -> None:
    with pytest.raises(TableError, match="no column day to partition by; there are id"):
        fit(schema(id="long"), None, partitions=["day"])
    with pytest.raises(ColumnsChanged, match="partitioned by day, which the rows no longer have"):
        fit(schema(id="long"), schema(id="long", day="date"), partitions=(), table_partitions=["day"])


def test_a_table_is_not_cut_up_anew() -> None:
    both = schema(id="long", day="date")
    with pytest.raises(TableError, match="is partitioned by nothing, not by day"):
        fit(both, both, partitions=["day"])


def test_a_type_is_named_in_a_few_words() -> None:
    assert type_name("long") == "long"
