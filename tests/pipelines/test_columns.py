from __future__ import annotations

import pyarrow as pa
import pytest

from penstock.pipelines.columns import PLAINLY, column_fields, columns_in, needed_for, read_columns
from penstock.wire.arrow import ALL_COLUMNS


def test_every_column_of_a_message_has_a_type_of_sparks() -> None:
    fields = {field.name: field.dataType.simpleString() for field in column_fields(ALL_COLUMNS)}

    assert len(fields) == len(ALL_COLUMNS)
    assert fields["position"] == "bigint"
    assert fields["body"] == "binary"
    assert fields["priority"] == "int"
    assert fields["timestamp"] == "timestamp"
    assert set(PLAINLY) <= set(ALL_COLUMNS)


def test_a_header_needs_the_headers_once() -> None:
    assert needed_for(("body", "header_a", "traceparent", "headers")) == ("body", "headers")


@pytest.mark.parametrize("name", ["colour", "header_", "trace", ""])
def test_what_no_message_has_is_refused_with_what_there_is(name: str) -> None:
    with pytest.raises(ValueError, match="arrived, traceparent, tracestate and header_NAME"):
        read_columns(f"body,{name}")


def test_headers_become_columns() -> None:
    headers = ['{"tenant":"a","n":1}', None, '{"tenant":"a","n":1}', '{"list":[1,"x"]}']
    batch = pa.record_batch({"headers": headers, "position": [1, 2, 3, 4]})

    tenant, number, some, position = columns_in(
        batch, ("header_tenant", "header_n", "header_list", "position")
    )

    assert tenant.to_pylist() == ["a", None, "a", None]
    assert number.to_pylist() == ["1", None, "1", None]
    assert some.to_pylist() == [None, None, None, '[1, "x"]']
    assert position.to_pylist() == [1, 2, 3, 4]
    assert tenant.type == pa.string()


def test_the_trace_of_a_message_is_two_columns() -> None:
    headers = ['{"traceparent":"00-a-b-01","tracestate":"x=1"}', '{"traceparent":"00-c-d-01"}', None]
    batch = pa.record_batch({"headers": headers})

    parent, state = columns_in(batch, read_columns("traceparent, tracestate"))

    assert parent.to_pylist() == ["00-a-b-01", "00-c-d-01", None]
    assert state.to_pylist() == ["x=1", None, None]
    assert [field.dataType.simpleString() for field in column_fields(("traceparent",))] == ["string"]
