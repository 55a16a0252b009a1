from __future__ import annotations

import pyarrow as pa
import pytest

from penstock.errors import BadSetting
from penstock.pipelines.options import SourceOptions
from penstock.pipelines.source.shaping import Shaping

TYPED = "tests.pipelines.source.typed"


def shaping(**options: str) -> Shaping:
    return Shaping(SourceOptions.read({"url": "amqp://host", "queue": "q", **options}))


def test_without_a_word_the_usual_columns_are_shown() -> None:
    assert shaping().schema.fieldNames()[:3] == ["position", "body", "message_id"]


def test_typed_messages_have_their_fields_after_the_messages_own() -> None:
    ours = shaping(schema_type=f"{TYPED}.Order", columns="position,header_tenant")

    assert ours.schema.fieldNames() == [
        "position",
        "header_tenant",
        "number",
        "customer",
        "total",
        "bad",
        "bad_body",
    ]
    assert set(ours.needed) == {"position", "headers", "body", "type", "content_type"}
    batch = pa.record_batch(
        {
            "position": pa.array([1], pa.int64()),
            "headers": ['{"tenant":"a"}'],
            "body": [b'{"number": 1, "customer": "c"}'],
            "type": pa.array([None], pa.string()),
            "content_type": pa.array([None], pa.string()),
        }
    )
    (row,) = ours.shape(batch).to_pylist()
    assert (row["position"], row["header_tenant"], row["number"]) == (1, "a", 1)


def test_a_field_that_is_called_as_a_column_is_refused_before_a_query_runs() -> None:
    with pytest.raises(BadSetting, match="has a field 'position', and so has every message"):
        shaping(schema_type=f"{TYPED}.Clashing")
    assert shaping(schema_type=f"{TYPED}.Clashing", columns="body").schema.fieldNames()[0] == "body"
