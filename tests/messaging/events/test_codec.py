from __future__ import annotations

import math
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import pydantic
import pytest

from penstock.errors import InvalidMessage, MessagingError
from penstock.messaging.events import event, event_type
from penstock.messaging.events.codec import codec_of

if TYPE_CHECKING:
    from penstock.messaging.events.codec import Codec


class Author(msgspec.Struct):
    name: str


@event("Structured")
class Structured(msgspec.Struct):
    id: int
    title: Annotated[str, msgspec.Meta(max_length=5)] = ""
    authors: list[Author] = []
    weight: float = 0.0
    at: datetime | None = None
    more: Any = None


@event("Classy")
@dataclass
class Classy:
    id: int
    authors: list[Author] = field(default_factory=list)


class Writer(pydantic.BaseModel):
    name: str


@event("Modelled")
class Modelled(pydantic.BaseModel):
    id: int = pydantic.Field(alias="ID")
    authors: list[Writer] = []


@event("Recursive")
class Recursive(msgspec.Struct):
    children: list[Recursive] = []


@event("Checking")
@dataclass
class Checking:
    many: dict[str, int]

    def __post_init__(self) -> None:
        assert sum(self.many.values()) // self.many["divisor"] < 10, "too much"


def codec(python_type: type[Any]) -> Codec:
    return codec_of(event_type(python_type))


@pytest.mark.parametrize(
    "thing",
    [
        Structured(1, "abc", [Author("ada")], at=datetime(2026, 1, 2)),  # noqa: DTZ001 (no zone is possible)
        Classy(1, [Author("ada")]),
        Modelled(ID=1, authors=[Writer(name="ada")]),
        Recursive([Recursive()]),
        Checking({"divisor": 2}),
    ],
)
def test_what_is_written_is_read_again(thing: Any) -> None:
    its = codec(type(thing))
    assert its.decode(its.encode(thing)) == thing


# A row: class, body, what is told; each with the field's path where there is one.
BAD = [
    (Structured, b'{"id":"x"}', "Structured version 1: Expected `int`, got `str` - at `$.id`"),
    (Structured, b"{}", "Structured version 1: Object missing required field `id`"),
    (Structured, b'{"id":1,"title":"abcdef"}', "Expected `str` of length <= 5 - at `$.title`"),
    (Structured, b'{"id":1,"authors":[{"name":"a"},{}]}', "field `name` - at `$.authors[1]`"),
    (Structured, b"[]", "Expected `object`, got `array`"),
    (Structured, b"", "Input data was truncated"),
    (Structured, b"{", "Input data was truncated"),
    (Structured, b'{"id":1}x', "trailing characters"),
    (Structured, b'{"id":1,"title":"\xff"}', "can't decode byte 0xff"),
    (Structured, b"\x80\x04.", "JSON is malformed"),
    (Structured, b'{"id":1e400}', "Number out of range - at `$.id`"),
    (Classy, b'{"id":1,"authors":[{"name":1}]}', "Expected `str`, got `int` - at `$.authors[0].name`"),
    (Modelled, b'{"ID":1,"authors":[{"name":1}]}', "Modelled version 1: Input should be a valid string"),
    (Modelled, b'{"ID":1,"authors":[{"name":1}]}', " - at `$.authors[0].name`"),
    (Modelled, b"{", "Invalid JSON"),
    (Modelled, b"\xff", "Invalid JSON"),
    (Recursive, b'{"children":[' * 5000, "ecursion"),
    (Checking, b'{"many":{}}', "divisor"),
    (Checking, b'{"many":{"divisor":0}}', "zero"),
    (Checking, b'{"many":{"divisor":1,"x":99}}', "too much"),
]


@pytest.mark.parametrize(("python_type", "body", "told"), BAD)
def test_what_does_not_fit_is_told_with_its_place(python_type: type[Any], body: bytes, told: str) -> None:
    with pytest.raises(InvalidMessage) as caught:
        codec(python_type).decode(body)
    assert told in str(caught.value)


def test_a_model_s_fault_does_not_tell_the_input() -> None:
    with pytest.raises(InvalidMessage) as caught:
        codec(Modelled).decode(b'{"ID": "secret"}')
    assert "secret" not in str(caught.value)


def wrong(thing: Any, **fields: Any) -> Any:
    """The same event, after somebody has set fields that nobody checks when they are set."""
    for name, value in fields.items():
        setattr(thing, name, value)
    return thing


@pytest.mark.parametrize(
    ("thing", "told"),
    [
        (Structured(id="1"), "Expected `int`, got `str` - at `$.id`"),  # type: ignore[arg-type]
        (Structured(1, weight=math.nan), "Expected `float`, got `null` - at `$.weight`"),
        (Structured(1, more=object()), "Encoding objects of type object is unsupported"),
        (Structured(1, title="\ud800"), "surrogates not allowed"),
        (Classy(None), "Expected `int`, got `null` - at `$.id`"),  # type: ignore[arg-type]
        (wrong(Modelled(ID=1), id="x"), "Expected `int`"),
        (wrong(Modelled(ID=1), authors=[1]), "Writer"),
    ],
)
def test_what_does_not_fit_is_not_written(thing: Any, told: str) -> None:
    with pytest.raises(InvalidMessage) as caught:
        codec(type(thing)).encode(thing)
    assert told in str(caught.value)


def test_a_schema_tells_all_fields() -> None:
    for python_type, fields in ((Structured, 6), (Classy, 2), (Modelled, 2)):
        schema = codec(python_type).schema()
        found = schema.get("properties") or schema["$defs"][python_type.__name__]["properties"]
        assert len(found) == fields


@event("Plain")
class Plain:
    id: int = 0


@event("Unfinished")
class Unfinished(msgspec.Struct):
    what: NoSuchThing  # type: ignore[name-defined]  # noqa: F821


@pytest.mark.parametrize(
    ("python_type", "told"),
    [
        (Plain, "Plain must be a msgspec struct, a dataclass or a pydantic model"),
        (Unfinished, "Unfinished version 1 has fields that JSON cannot have: name 'NoSuchThing'"),
    ],
)
def test_a_class_that_cannot_be_checked_is_refused(python_type: type[Any], told: str) -> None:
    with pytest.raises(MessagingError, match=told):
        codec(python_type)
