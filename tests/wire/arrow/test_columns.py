from __future__ import annotations

import pyarrow as pa
import pytest

from penstock.wire.amqp.properties import PropertyValues
from penstock.wire.arrow.columns import (
    ALL_COLUMNS,
    COLUMNS,
    PROPERTY_COLUMNS,
    WIRE_COLUMNS,
    arrow_type,
    schema_of,
)


def test_every_kind_of_column_has_a_type() -> None:
    assert {str(arrow_type(kind)) for kind in COLUMNS.values()} == {
        "int64",
        "binary",
        "string",
        "int32",
        "bool",
        "timestamp[us, tz=UTC]",
    }


def test_all_properties_are_columns_but_the_one_that_nobody_uses() -> None:
    # cluster-id has been reserved, and of no meaning, since AMQP 0-9-1.
    assert set(PROPERTY_COLUMNS) == PropertyValues.__annotations__.keys() - {"cluster_id"}
    assert set(ALL_COLUMNS) - set(PROPERTY_COLUMNS) == {
        "position",
        "body",
        "exchange",
        "routing_key",
        "redelivered",
        "arrived",
    }


def test_names_travel_once() -> None:
    assert schema_of(WIRE_COLUMNS).field("routing_key").type == pa.dictionary(pa.int32(), pa.binary())


def test_an_unknown_kind_is_a_mistake_of_ours() -> None:
    with pytest.raises(KeyError):
        arrow_type("colour")
