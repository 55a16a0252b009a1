"""Classes of messages, by whose dotted paths tests name them."""

# ruff: noqa: TC003  (msgspec looks at the types when the classes are made)

from __future__ import annotations

import datetime as dt
import enum
import uuid
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal

import msgspec
import pydantic

from penstock.messaging.events import event


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Place(msgspec.Struct):
    street: str
    opened: dt.datetime | None = None


class Order(msgspec.Struct):
    number: int
    customer: str
    total: float | None = None


class Everything(msgspec.Struct, kw_only=True, rename={"at": "when"}):
    number: int
    share: float
    text: str
    flag: bool
    raw: bytes
    at: dt.datetime
    day: dt.date
    amount: Decimal
    name: uuid.UUID
    colour: Colour
    size: Literal["s", "m"]
    tags: list[str]
    times: list[dt.datetime]
    counts: dict[str, int]
    place: Place
    either: int | str
    anything: Any
    maybe: int | None = None


@dataclass
class Note:
    text: str
    count: int = 0


class Model(pydantic.BaseModel):
    number: int
    tags: list[str] = []
    place: dict[str, int] = pydantic.Field(default={}, alias="where")


class Page(pydantic.BaseModel):
    address: pydantic.HttpUrl
    mirrors: list[pydantic.HttpUrl] = []


@event("OrderPlaced", version=2)
class OrderPlaced(msgspec.Struct):
    number: int


class Clashing(msgspec.Struct):
    position: int


not_a_class = 5
