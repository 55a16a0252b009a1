from __future__ import annotations

import enum
from typing import Annotated, Any, Literal

import msgspec
import pydantic
import pytest

from penstock.messaging.events.compatibility import Breaks, Change, changes
from penstock.messaging.events.contract import Contract

NOTHING, WAITING, READERS = Breaks.NOTHING, Breaks.WAITING, Breaks.READERS


class Circle(msgspec.Struct, tag="circle"):
    radius: float


class Square(msgspec.Struct, tag="square"):
    side: float


class Author(msgspec.Struct):
    name: str


class Writer(msgspec.Struct):
    name: str


class Painter(msgspec.Struct):
    name: str
    style: str


class Two(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Three(enum.Enum):
    RED = "red"
    BLUE = "blue"
    GREEN = "green"


def contract(schema: dict[str, Any], version: int = 1, oldest: int = 1) -> dict[str, Contract]:
    return {"E": Contract(version=version, oldest=oldest, schema=schema)}


def told(before: Any, after: Any) -> list[tuple[str, Breaks]]:
    found = changes(contract(msgspec.json.schema(before)), contract(msgspec.json.schema(after)))
    return [(f"{change.path} {change.text}", change.breaks) for change in found]


#: What a value was, what it is now, and what is told of it.
Row = tuple[Any, Any, list[tuple[str, Breaks]]]
VALUES: list[Row] = [
    (int, int, []),
    (int, str, [("$ changed from integer to string", WAITING | READERS)]),
    (int, float, [("$ can now be number", READERS)]),
    (float, int, [("$ can no longer be number", WAITING)]),
    (int, int | None, [("$ can now be null", READERS)]),
    (int | None, int, [("$ can no longer be null", WAITING)]),
    (int, Any, [("$ can now be anything", READERS)]),
    (Any, int, [("$ can no longer be anything", WAITING)]),
    (Two, Three, [("$ can now be 'green'", READERS)]),
    (Three, Two, [("$ can no longer be 'green'", WAITING)]),
    (Two, str, [("$ can now be string", READERS)]),
    (str, Two, [("$ can no longer be string", WAITING)]),
    (Literal[1] | None, int | None, [("$ can now be integer", READERS)]),
    (Literal[1], str, [("$ changed from one of 1 to string", WAITING | READERS)]),
    (list[int], list[str], [("$[] changed from integer to string", WAITING | READERS)]),
    (dict[str, int], dict[str, str], [("$[] changed from integer to string", WAITING | READERS)]),
    (list, list[int], [("$[] can no longer be anything", WAITING)]),
    (dict[str, int], dict, [("$[] can now be anything", READERS)]),
    (list, list, []),
    (tuple[int, int], tuple[int, str], [("$[1] changed from integer to string", WAITING | READERS)]),
    (
        tuple[int],
        tuple[int, int],
        [
            ("$ has minItems 2 instead of 1", WAITING),
            ("$ has maxItems 2 instead of 1", READERS),
        ],
    ),
    (str, Annotated[str, msgspec.Meta(max_length=5)], [("$ has maxLength 5 instead of none", WAITING)]),
    (Annotated[str, msgspec.Meta(max_length=5)], str, [("$ has maxLength none instead of 5", READERS)]),
    (
        Annotated[int, msgspec.Meta(ge=1)],
        Annotated[int, msgspec.Meta(ge=2)],
        [("$ has minimum 2 instead of 1", WAITING)],
    ),
    (
        Annotated[int, msgspec.Meta(le=1)],
        Annotated[int, msgspec.Meta(le=2)],
        [("$ has maximum 2 instead of 1", READERS)],
    ),
    (
        Annotated[str, msgspec.Meta(pattern="a")],
        Annotated[str, msgspec.Meta(pattern="b")],
        [("$ has pattern b instead of a", WAITING | READERS)],
    ),
    (Author, Writer, []),  # a class may change its name
    (Author, Painter, [("$.style is a new required field", WAITING)]),
    (Circle, Circle | Square, [("$ can now be object", READERS)]),
    (Circle | Square, Square, [("$ can no longer be object", WAITING)]),
]


@pytest.mark.parametrize(("before", "after", "expected"), VALUES)
def test_what_becomes_of_a_value(before: Any, after: Any, expected: list[tuple[str, Breaks]]) -> None:
    assert told(before, after) == expected


def struct(*fields: Any, **how: Any) -> Any:
    return msgspec.defstruct("S", fields, **how)


ID, TITLE, OPTIONAL = ("id", int), ("title", str), ("title", str, "")

FIELDS: list[Row] = [
    (struct(ID), struct(ID, OPTIONAL), [("$.title is a new optional field", NOTHING)]),
    (struct(ID), struct(ID, TITLE), [("$.title is a new required field", WAITING)]),
    (struct(ID, TITLE), struct(ID), [("$.title was removed", READERS)]),
    (struct(ID, OPTIONAL), struct(ID), [("$.title was removed", NOTHING)]),
    (struct(ID, OPTIONAL), struct(ID, TITLE), [("$.title became required", WAITING)]),
    (
        struct(ID, TITLE),
        struct(ID, OPTIONAL),
        [("$.title became optional; keep writing it until all readers are updated", NOTHING)],
    ),
    (
        struct(ID, forbid_unknown_fields=True),
        struct(ID, OPTIONAL, forbid_unknown_fields=True),
        [("$.title is a new optional field", READERS)],
    ),
    (
        struct(ID, OPTIONAL, forbid_unknown_fields=True),
        struct(ID, forbid_unknown_fields=True),
        [("$.title was removed", WAITING)],
    ),
    (
        struct(ID),
        struct(ID, forbid_unknown_fields=True),
        [("$ refuses fields it does not know now", WAITING)],
    ),
    (
        struct(("author", Author)),
        struct(("author", Painter)),
        [("$.author.style is a new required field", WAITING)],
    ),
]


@pytest.mark.parametrize(("before", "after", "expected"), FIELDS)
def test_what_becomes_of_fields(before: Any, after: Any, expected: list[tuple[str, Breaks]]) -> None:
    assert told(before, after) == expected


def test_classes_that_hold_themselves_can_be_compared() -> None:
    def schema(kind: str) -> dict[str, Any]:
        properties = {"children": {"type": "array", "items": {"$ref": "#/$defs/Node"}}, "x": {"type": kind}}
        return {"$ref": "#/$defs/Node", "$defs": {"Node": {"type": "object", "properties": properties}}}

    (change,) = changes(contract(schema("integer")), contract(schema("string")))
    assert change.path == "$.x"


def test_what_may_have_more_is_the_same_whether_it_says_so_or_not() -> None:
    silent: dict[str, Any] = {"type": "object", "properties": {"id": {"type": "integer"}}}
    assert changes(contract(silent), contract(silent | {"additionalProperties": True})) == []


def test_models_are_compared_like_structs() -> None:
    before = pydantic.create_model("Model", id=(int, ...), title=(str | None, None)).model_json_schema()
    after = pydantic.create_model("Model", id=(str, ...), title=(str | None, None)).model_json_schema()
    (change,) = changes(contract(before), contract(after))
    assert str(change) == (
        "E $.id changed from integer to string: messages written before cannot be read,"
        " nor new ones by readers not updated yet"
    )


# Events


A, B = msgspec.json.schema(Author), msgspec.json.schema(Painter)


def test_events_come_and_go() -> None:
    assert changes({}, contract(A)) == [Change("E", "$", "is new")]
    (gone,) = changes(contract(A), {})
    assert str(gone) == "E is no longer declared: messages written before cannot be read"


def test_a_new_version_with_an_upcaster_may_be_anything() -> None:
    (change,) = changes(contract(A), contract(B, version=2))
    assert not change.breaks
    assert "went from version 1 to 2; update its readers before its writers" in change.text


def test_a_new_version_without_an_upcaster_leaves_messages_behind() -> None:
    (change,) = changes(contract(A), contract(B, version=2, oldest=2))
    assert change.breaks == WAITING
    assert change.text == 'is of version 2 now, without @upcast("E", 1)'


def test_an_upcaster_may_not_simply_vanish() -> None:
    (change,) = changes(contract(A, version=3), contract(A, version=3, oldest=3))
    assert change == Change("E", "$", "has no up-casters any more from version 1, 2", WAITING)


def test_a_version_does_not_go_back() -> None:
    (change,) = changes(contract(A, version=2), contract(A))
    assert change.breaks == WAITING | READERS
