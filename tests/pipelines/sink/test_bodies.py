from __future__ import annotations

import datetime as dt
import json

import pytest

from penstock.errors import BadSetting, InvalidMessage
from penstock.messaging.headers import TYPE_VERSION
from penstock.pipelines.sink.bodies import PlainBodies, TypedBodies, bodies_of

TYPED = "tests.pipelines.source.typed"


def test_a_body_is_bytes_or_text() -> None:
    plain = bodies_of("", ["body", "routing_key"])

    assert (plain.names, plain.common) == (("body",), {})
    assert plain.encode((b"x",)) == b"x"
    assert plain.encode(("é",)) == "é".encode()


@pytest.mark.parametrize(("value", "told"), [(None, "body is null"), (5, "neither bytes nor text")])
def test_what_is_neither_is_told(value: object, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        PlainBodies().encode((value,))


def test_a_table_without_bodies_is_refused() -> None:
    with pytest.raises(BadSetting, match="name that column `body`"):
        bodies_of("", ["routing_key"])


def test_the_fields_of_a_class_are_json_that_the_class_has_checked() -> None:
    bodies = bodies_of(f"{TYPED}.Order", ["total", "number", "customer", "routing_key"])

    assert bodies.names == ["number", "customer", "total"]
    assert bodies.common == {"content_type": "application/json"}
    assert json.loads(bodies.encode((1, "a", None))) == {"number": 1, "customer": "a"}
    with pytest.raises(InvalidMessage, match=r"Expected `int`, got `null` - at `\$.number`"):
        bodies.encode((None, "a", None))


def test_columns_of_json_are_json_again_and_moments_moments() -> None:
    bodies = TypedBodies(f"{TYPED}.Place", ["street", "opened"])
    moment = dt.datetime(2026, 1, 2, tzinfo=dt.UTC)
    assert json.loads(bodies.encode(("Main", moment)))["opened"] == "2026-01-02T00:00:00Z"

    everything = TypedBodies(f"{TYPED}.Everything", ["either"])
    with pytest.raises(InvalidMessage, match=r"got `object` - at `\$.either`"):
        everything.encode(('{"a": 1}',))


def test_an_event_tells_its_name_and_version() -> None:
    bodies = TypedBodies(f"{TYPED}.OrderPlaced", ["number"])

    assert bodies.common["type"] == "OrderPlaced"
    assert bodies.common["headers"] == {TYPE_VERSION: 2}
