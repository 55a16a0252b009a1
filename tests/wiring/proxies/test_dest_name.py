"""DEST-NAME: by direct comparison of the destination."""

from __future__ import annotations

from typing import Any

import pytest

from penstock.errors import BadPattern
from penstock.wiring.message import Message
from penstock.wiring.proxies.dest_name import DestName
from penstock.wiring.registration import Target


class Place(Target):
    detour = False


#: Registered for, sent to, whether it arrives.
CASES = [
    ("orders", "orders", True),
    ("orders", "Orders", False),
    ("orders", "orders.eu", False),
    ("", "", True),  # an empty destination is a destination
    ("", "a", False),
    ("a.*", "a.*", True),  # no wildcards here: a star is a star
    ("a.*", "a.b", False),
    ("#", "a", False),
    ("é", "é", True),
    ("é", "e\u0301", False),  # compared as they are, not as they look
]


@pytest.mark.parametrize(("registered", "sent", "arrives"), CASES)
def test_a_message_arrives_where_its_destination_is_registered(
    registered: str,
    sent: str,
    arrives: bool,  # noqa: FBT001
) -> None:
    proxy = DestName("queue")
    place = Place()
    proxy.register(place, registered)
    message = Message(b"", "not the one to go by")
    assert list(proxy.route(message, sent)) == [place] * arrives
    assert (proxy.why_not(registered, message, sent) is None) == arrives


def test_three_destinations_accumulate_in_one_place() -> None:
    proxy = DestName("queue")
    place = Place()
    for destination in "XYZ":
        proxy.register(place, destination)
    assert [len(proxy.route(Message(b""), destination)) for destination in "WXYZ"] == [0, 1, 1, 1]


def test_the_reason_names_both() -> None:
    assert DestName("queue").why_not("a", Message(b""), "b") == "destination 'b' is not 'a'"


@pytest.mark.parametrize("pattern", [None, 5, b"a", {"a": 1}])
def test_a_pattern_that_is_no_text_is_refused(pattern: Any) -> None:
    with pytest.raises(BadPattern, match="the pattern is the destination itself, a text"):
        DestName("queue").register(Place(), pattern)
