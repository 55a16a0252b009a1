from __future__ import annotations

from typing import Any

import pytest

from penstock.wire.amqp import BasicProperties
from penstock.wire.amqp.identity import identity, kind_of

FULL: dict[str, Any] = {
    "content_type": "application/json",
    "content_encoding": "utf-8",
    "headers": {"a": 1, "b": {"c": "d" * 300}},
    "delivery_mode": 2,
    "priority": 5,
    "correlation_id": "c1",
    "reply_to": "answers",
    "expiration": "1000",
    "type": "Bill",
    "user_id": "guest",
    "app_id": "shop",
    "cluster_id": "",
}


def taken_apart(**values: Any) -> tuple[bytes, str, int]:
    raw = BasicProperties.of(**values).raw
    found = identity(raw)
    assert kind_of(raw) == found.kind
    return found


def test_messages_of_a_kind_differ_in_nothing_else() -> None:
    one = taken_apart(**FULL, message_id="m1", timestamp=1_800_000_000)
    other = taken_apart(**FULL, message_id="another id", timestamp=5)
    assert one[1:] == ("m1", 1_800_000_000)
    assert other[1:] == ("another id", 5)
    assert one[0] == other[0]


@pytest.mark.parametrize("name", FULL)
def test_every_other_property_makes_another_kind(name: str) -> None:
    with_all = taken_apart(**FULL, message_id="m1", timestamp=5)
    without = taken_apart(
        **{other: value for other, value in FULL.items() if other != name}, message_id="m1", timestamp=5
    )
    assert without[1:] == with_all[1:], "they are found wherever they stand"
    assert without[0] != with_all[0]


def test_an_identity_may_be_missing_in_part_and_that_is_another_kind() -> None:
    assert taken_apart()[1:] == ("", 0)
    assert taken_apart(message_id="m1")[1:] == ("m1", 0)
    assert taken_apart(timestamp=5)[1:] == ("", 5)
    kinds = {taken_apart()[0], taken_apart(message_id="m1")[0], taken_apart(timestamp=5)[0]}
    assert len(kinds) == 3


def test_a_message_id_may_be_anything() -> None:
    raw = BasicProperties.of(message_id="m?").raw.replace(b"?", b"\xff")
    assert identity(raw).message_id == "m\udcff"
