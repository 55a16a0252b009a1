from __future__ import annotations

import datetime as dt
import json
import uuid
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import StructType

from penstock.errors import BadSetting
from penstock.messaging.headers import TYPE_VERSION
from penstock.pipelines.decoding import Typed, class_at

TYPED = "tests.pipelines.source.typed"
EVERYTHING = {
    "number": 1,
    "share": 0.5,
    "text": "x",
    "flag": True,
    "raw": "aGk=",
    "when": "2026-01-02T03:04:05+01:00",
    "day": "2026-01-02",
    "amount": "1.50",
    "name": "12345678-1234-5678-1234-567812345678",
    "colour": "red",
    "size": "m",
    "tags": ["a", "b"],
    "times": ["2026-01-02T03:04:05"],
    "counts": {"a": 1},
    "place": {"street": "Main", "opened": "2026-01-02T03:04:05Z"},
    "either": "text",
    "anything": {"deep": [1]},
}


def decoded(path: str, *bodies: bytes | None, **columns: Any) -> list[dict[str, Any]]:
    typed = Typed(f"{TYPED}.{path}")
    nothing = [None] * len(bodies)
    told = {name: columns.get(name, nothing) for name in ("type", "content_type", "headers")}
    batch = pa.record_batch(
        [pa.array(bodies, pa.binary()), *(pa.array(values, pa.string()) for values in told.values())],
        names=["body", *told],
    )
    schema = to_arrow_schema(StructType(typed.fields()), timezone="UTC")
    made = pa.RecordBatch.from_arrays(typed.columns(batch, schema.types), schema=schema)
    rows: list[dict[str, Any]] = made.to_pylist()
    return rows


def test_fields_become_columns_and_a_bad_body_leaves_them_null_with_the_reason() -> None:
    good, bad, gone = decoded("Order", b'{"number": 1, "customer": "a"}', b'{"number": "one"}', None)

    assert good == {"number": 1, "customer": "a", "total": None, "bad": None, "bad_body": None}
    assert bad["number"] is bad["customer"] is None
    assert "Expected `int`, got `str` - at `$.number`" in bad["bad"]
    assert bad["bad_body"] == b'{"number": "one"}'
    assert gone["bad"] == "the body is lost"


def test_every_kind_of_field_comes_through() -> None:
    (row,) = decoded("Everything", json.dumps(EVERYTHING).encode())

    assert row["bad"] is None
    assert row["when"] == dt.datetime(2026, 1, 2, 2, 4, 5, tzinfo=dt.UTC)
    assert row["times"] == [dt.datetime(2026, 1, 2, 3, 4, 5, tzinfo=dt.UTC)]
    assert row["day"] == dt.date(2026, 1, 2)
    assert row["amount"] == Decimal("1.5")
    assert row["raw"] == b"hi"
    assert row["name"] == str(uuid.UUID(EVERYTHING["name"]))  # type: ignore[arg-type]
    assert (row["colour"], row["size"], row["tags"]) == ("red", "m", ["a", "b"])
    assert row["counts"] == [("a", 1)]
    assert row["place"]["street"] == "Main"
    assert (row["either"], row["anything"]) == ('"text"', '{"deep":[1]}')
    assert row["maybe"] is None


def test_a_value_beyond_its_column_makes_a_bad_row_and_not_a_failed_query() -> None:
    rows = decoded(
        "Order", b'{"number": 1, "customer": "a"}', b'{"number": 99999999999999999999, "customer": "b"}'
    )

    assert rows[0]["number"] == 1
    assert rows[0]["bad"] is None
    assert rows[1]["number"] is None
    assert "does not fit its column" in rows[1]["bad"]


@pytest.mark.parametrize("moment", ["0001-01-01T00:00:00+01:00", "9999-12-31T23:59:59-01:00"])
def test_a_moment_that_the_calendar_has_nowhere_else_makes_a_bad_row(moment: str) -> None:
    bodies = [json.dumps({"street": "Main", "opened": each}).encode() for each in (moment, moment[:19] + "Z")]

    bad, good = decoded("Place", *bodies)

    assert bad["bad"] == "a value does not fit its column: date value out of range"
    assert (bad["street"], bad["bad_body"]) == (None, bodies[0])
    assert (good["street"], good["bad"]) == ("Main", None)


@pytest.mark.parametrize("body", [b"", b"\xff\xfe", b"[]", b"null", b"[" * 100_000, b"{" * 10])
def test_no_body_fails_a_query(body: bytes) -> None:
    (row,) = decoded("Order", body)

    assert row["bad"]
    assert row["bad_body"] == body


def test_dataclasses_and_models_are_decoded_too() -> None:
    assert decoded("Note", b'{"text": "x"}')[0]["count"] == 0
    (row,) = decoded("Model", b'{"number": 1, "where": {"a": 2}}')
    assert (row["number"], row["where"], row["bad"]) == (1, [("a", 2)], None)
    assert "at `$.number`" in decoded("Model", b'{"number": "x"}')[0]["bad"]


def test_a_models_own_types_are_text() -> None:
    (row,) = decoded("Page", b'{"address": "http://example.com/a", "mirrors": ["http://example.org/"]}')

    assert (row["address"], row["mirrors"]) == ('"http://example.com/a"', ['"http://example.org/"'])
    assert row["bad"] is None


def test_of_an_event_other_events_and_newer_versions_are_bad() -> None:
    body = b'{"number": 1}'
    versions = [json.dumps({TYPE_VERSION: version}) for version in (2, 2, 3)]

    rows = decoded(
        "OrderPlaced", body, body, body, type=["OrderPlaced", "Other", "OrderPlaced"], headers=versions
    )

    assert rows[0]["number"] == 1
    assert "'Other' is not declared" in rows[1]["bad"]
    assert "in version 2, not 3" in rows[2]["bad"]


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("no.such.Type", "no.such.Type cannot be imported: No module named 'no'"),
        (f"{TYPED}.Nothing", "Nothing cannot be imported"),
        (f"{TYPED}.not_a_class", "not_a_class is no class"),
        ("Order", "Order cannot be imported"),
        ("", "cannot be imported"),
    ],
)
def test_a_class_that_cannot_be_had_is_told(path: str, told: str) -> None:
    with pytest.raises(BadSetting, match=f"schema_type: .*{told}"):
        class_at(path)
