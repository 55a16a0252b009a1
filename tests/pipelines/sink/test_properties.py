from __future__ import annotations

import datetime as dt

import pytest

from penstock.pipelines.sink import properties
from penstock.pipelines.sink.properties import Stamping
from penstock.wire.amqp import BasicProperties, CannotEncode

NAMES = ("content_type", "priority", "timestamp", "type", "headers", "correlation_id", "app_id")


def test_a_stamped_list_is_the_one_that_would_be_encoded() -> None:
    stamping = Stamping(NAMES, {"delivery_mode": 2})
    at = dt.datetime(2026, 1, 2, tzinfo=dt.UTC)
    for name in ("a", "bb", ""):
        made = stamping.stamp(name, stamping.kind(("text/plain", 3, at, "Order", '{"a":1}', "c", "app")))

        assert (
            BasicProperties.checked(made.raw).as_dict()
            == BasicProperties.of(
                content_type="text/plain",
                headers={"a": 1},
                delivery_mode=2,
                priority=3,
                correlation_id="c",
                message_id=name,
                timestamp=at,
                type="Order",
                app_id="app",
            ).as_dict()
        )


def test_what_a_row_does_not_say_is_as_for_all() -> None:
    stamping = Stamping(("type", "headers"), {"type": "Order", "headers": {"v": 2}, "delivery_mode": 2})

    assert stamping.stamp("x", stamping.kind((None, None))).as_dict() == {
        "headers": {"v": 2},
        "delivery_mode": 2,
        "message_id": "x",
        "type": "Order",
    }
    assert stamping.stamp("x", stamping.kind(("Other", (("w", "1"),)))).as_dict() == {
        "headers": {"v": 2, "w": "1"},
        "delivery_mode": 2,
        "message_id": "x",
        "type": "Other",
    }


@pytest.mark.parametrize(
    ("name", "values"), [("x" * 256, (None, None)), ("x", ("y" * 256, None)), ("x", (None, "no JSON"))]
)
def test_what_no_property_holds_is_told(name: str, values: tuple[str | None, str | None]) -> None:
    stamping = Stamping(("type", "headers"), {})
    with pytest.raises(CannotEncode):
        stamping.stamp(name, stamping.kind(values))


def test_kinds_are_not_remembered_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(properties, "REMEMBERED", 3)
    stamping = Stamping(("correlation_id",), {})

    for number in range(10):
        assert stamping.stamp("x", stamping.kind((str(number),))).correlation_id == str(number)
    assert len(stamping._stamps) <= 3
