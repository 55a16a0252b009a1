from __future__ import annotations

import enum
from typing import Any, Literal

import msgspec
import pytest

from penstock.messaging.events.schemas import Document


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Circle(msgspec.Struct, tag="circle"):
    radius: float


class Square(msgspec.Struct, tag="square"):
    side: float


class Node(msgspec.Struct):
    children: list[Node] = []


@pytest.mark.parametrize(
    ("python_type", "expected"),
    [
        (int, ["integer"]),
        (int | str | None, ["integer", "string", "null"]),
        (Colour, ["one of 'blue', 'red'"]),
        (Literal[1, "x"], ["one of 1, 'x'"]),
        (Any, ["anything"]),
        (list[int], ["array"]),
        (dict[str, int], ["object"]),
    ],
)
def test_a_schema_has_alternatives(python_type: Any, expected: list[str]) -> None:
    document = Document(msgspec.json.schema(python_type))
    assert [str(found) for found in document.alternatives(document.schema)] == expected


def test_structs_of_a_union_are_told_apart() -> None:
    document = Document(msgspec.json.schema(Circle | Square))
    found = document.alternatives(document.schema)
    assert [each.name for each in found] == ["object circle", "object square"]
    assert found[0].required == {"type", "radius"}


def test_a_class_that_holds_itself_is_followed_one_step_at_a_time() -> None:
    document = Document(msgspec.json.schema(Node))
    (node,) = document.alternatives(document.schema)
    (children,) = document.alternatives(node.fields["children"])
    assert document.alternatives(children.rest) == [node]


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"const": 5}, ["one of 5"]),
        ({"type": ["string", "null"], "maxLength": 3}, ["string (maxLength 3)", "null (maxLength 3)"]),
        ({"allOf": [{"$ref": "#/$defs/Part"}]}, ["boolean"]),
        ({"oneOf": [{"type": "integer"}, {"$ref": "#/$defs/Part"}]}, ["integer", "boolean"]),
        (True, ["anything"]),
    ],
)
def test_forms_that_other_libraries_write(schema: Any, expected: list[str]) -> None:
    document = Document({"$defs": {"Part": {"type": "boolean"}}})
    assert [str(found) for found in document.alternatives(schema)] == expected
