"""The ports: what sources give is what the API says, as plain JSON."""

from __future__ import annotations

import msgspec
import pytest

from penstock.panel.own import did_port, port

KINDS = [
    *(port.Schedule, port.Pipeline, port.Worker, port.Job),
    *(did_port.Batch, did_port.BatchOperation, did_port.WaitingOperations),
    *(did_port.DidStep, did_port.Anchor),
]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_every_value_has_a_schema_with_its_meaning(kind: type) -> None:
    (_,), schemas = msgspec.json.schema_components([kind])
    schema = schemas[kind.__name__]
    assert schema["description"]
    assert set(schema["properties"]) == set(kind.__struct_fields__)  # type: ignore[attr-defined]
