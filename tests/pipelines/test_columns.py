from __future__ import annotations

import pyarrow as pa

from penstock.pipelines.columns import PLAINLY, column_fields, columns_in, needed_for
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
    assert needed_for(("body", "header_a", "header_b", "headers")) == ("body", "headers")


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
