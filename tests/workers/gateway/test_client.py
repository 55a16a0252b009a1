from __future__ import annotations

from penstock.workers.gateway.client import TOO_SLOW, frame_of, room_place, user_place
from tests.workers.gateway.support import Wire, client_on


def test_a_frame_is_a_text_frame_without_a_mask() -> None:
    assert frame_of({"a": 1}) == b'\x81\x07{"a":1}'


def test_a_client_is_at_its_users_place_and_in_its_rooms() -> None:
    client = client_on(Wire(), 3, "c1")
    client.rooms.add("planet:5")
    assert client.places == [user_place("3"), room_place("planet:5")]
    assert repr(client) == "<Client c1 of user 3, 1 rooms>"


def test_a_client_that_does_not_read_is_told_once_and_closed_in_the_end() -> None:
    wire = Wire()
    client = client_on(wire, unsent=1000)
    for unsent in (0, 501, 900, 1001, 2000):
        wire.unsent = unsent
        client.tell({"unsent": unsent})
    warned = [each for each in wire.told if each.get("route") == "/gateway/slow"]
    assert [each["content"] for each in warned] == [{"unsent": 501, "most": 1000}]
    assert wire.closed == [(TOO_SLOW, "1001 bytes wait to be read: come again, and resume")]
    assert {"unsent": 2000} not in wire.told, "a client that is closed gets nothing more"
    assert (client._counters.sent, client._counters.too_slow) == (4, 1)


def test_a_client_that_has_caught_up_is_warned_anew() -> None:
    wire = Wire()
    client = client_on(wire, unsent=1000)
    for unsent in (600, 0, 600):
        wire.unsent = unsent
        client.tell({})
    assert sum(each.get("route") == "/gateway/slow" for each in wire.told) == 2


def test_a_client_is_closed_once() -> None:
    wire = Wire()
    client = client_on(wire)
    client.close(4000, "first")
    client.close(4001, "second")
    assert wire.closed == [(4000, "first")]


def test_nothing_is_sent_after_a_farewell_of_either_side() -> None:
    wire = Wire()
    client = client_on(wire)
    wire.is_open = False
    client.tell({})
    assert (wire.frames, client._counters.sent) == ([], 0)
