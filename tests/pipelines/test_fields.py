from __future__ import annotations

import pytest

from penstock.errors import BadSetting
from penstock.pipelines.fields import fields_of
from tests.pipelines.source.typed import Everything, Model, Note


def test_the_fields_of_a_struct_have_sparks_types() -> None:
    found = {field.name: field.kind.simpleString() for field in fields_of(Everything)}

    assert found == {
        "number": "bigint",
        "share": "double",
        "text": "string",
        "flag": "boolean",
        "raw": "binary",
        "when": "timestamp",
        "day": "date",
        "amount": "decimal(38,18)",
        "name": "string",
        "colour": "string",
        "size": "string",
        "tags": "array<string>",
        "times": "array<timestamp>",
        "counts": "map<string,bigint>",
        "place": "struct<street:string,opened:timestamp>",
        "either": "string",
        "anything": "string",
        "maybe": "bigint",
    }


def test_what_may_be_of_several_types_is_json() -> None:
    assert {field.name for field in fields_of(Everything) if field.is_json} == {"either", "anything"}


def test_dataclasses_and_models_have_fields_by_the_names_they_have_in_json() -> None:
    assert [(field.name, field.is_required) for field in fields_of(Note)] == [
        ("text", True),
        ("count", False),
    ]
    assert [(field.name, field.kind.simpleString()) for field in fields_of(Model)] == [
        ("number", "bigint"),
        ("tags", "array<string>"),
        ("where", "map<string,bigint>"),
    ]


def test_a_class_without_fields_is_refused() -> None:
    with pytest.raises(BadSetting, match="int is no struct, dataclass or model"):
        fields_of(int)
