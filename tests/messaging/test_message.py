from __future__ import annotations

from dataclasses import FrozenInstanceError, replace

import pytest

from penstock.messaging import Destination, Message


def test_every_message_has_an_id_of_its_own_and_a_copy_keeps_it() -> None:
    one, other = Message(body=b""), Message(body=b"")
    assert one.id != other.id
    assert replace(one, delay=5).id == one.id


def test_a_message_does_not_change() -> None:
    with pytest.raises(FrozenInstanceError):
        Message(body=b"").body = b"other"  # type: ignore[misc]


def test_attempts_are_told_by_the_header() -> None:
    assert Message(body=b"").attempts == 0
    assert Message(body=b"", headers={"x-penstock-attempts": 3}).attempts == 3


def test_a_destination_reads_as_one_would_say_it() -> None:
    assert str(Destination("shop", "Bill")) == "shop/Bill"
    assert str(Destination.queue("bills")) == "bills"
    assert Destination.queue("bills") == Destination("", "bills")
