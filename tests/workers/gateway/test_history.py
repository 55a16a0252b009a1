from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from penstock.workers.gateway.client import room_place, user_place
from penstock.workers.gateway.history import OVERLAP, History
from tests.messaging.fakes import FakeReceived

USER, ROOM = user_place("3"), room_place("planet:5")
#: Longer than the overlap: what comes in such steps comes in order.
STEP = OVERLAP + 1


class Kept:
    """A history, and what was handed to it."""

    def __init__(self, **bounds: Any) -> None:
        self.history = History(**{"each": 10, "in_all": 100, "lasts": 1000.0, **bounds})
        self.now = 0.0
        self.handed: dict[str, FakeReceived] = {}

    def add(self, *names: str, place: Any = USER, code: str = "", step: float = STEP) -> None:
        for name in names:
            self.now += step
            self.handed[name] = FakeReceived()
            self.history.add(name, place, name.encode(), self.handed[name], now=self.now, client_code=code)

    def since(self, mark: str, *places: Any, code: str = "") -> tuple[str, bool]:
        missed = self.history.since(mark, places or (USER,), code)
        return " ".join(kept.id for kept in missed.kept), missed.is_whole

    @property
    def acked(self) -> str:
        return " ".join(name for name, received in self.handed.items() if received.settled == ["ack"])


def test_a_client_gets_what_came_after_its_mark_and_nothing_of_others() -> None:
    kept = Kept()
    kept.add("a", "b")
    kept.add("x", place=ROOM)
    kept.add("c")
    assert kept.since("a") == ("b c", True)
    assert kept.since("c") == ("", True)
    assert kept.since("x") == ("c", True)
    assert kept.history.mark == "c"
    assert repr(kept.history) == "<History of 4 messages, 2 places>"


def test_what_is_for_a_user_and_for_rooms_comes_in_the_order_of_arrival() -> None:
    kept = Kept()
    kept.add("a", "b")
    kept.add("x", place=ROOM)
    kept.add("c")
    assert kept.since("a", USER, ROOM, room_place("empty")) == ("b x c", True)


def test_what_came_shortly_before_the_mark_comes_again_since_gateways_may_differ_in_order() -> None:
    kept = Kept()
    kept.add("early")
    kept.add("a", "mark", "b", step=OVERLAP / 3)
    assert kept.since("mark") == ("early a b", True)
    kept = Kept()
    kept.add("early", "mark")
    assert kept.since("mark") == ("", True)


def test_a_mark_that_nobody_here_knows_is_a_gap_and_gets_all_there_is() -> None:
    kept = Kept()
    kept.add("a", "b")
    assert kept.since("elsewhere") == ("a b", False)


def test_the_oldest_of_a_place_makes_room_and_whoever_missed_it_is_told() -> None:
    kept = Kept(each=2)
    kept.add("a", "b", "c", "d")
    assert kept.acked == "a b"
    assert kept.since("a") == ("c d", False)
    assert kept.since("b") == ("c d", True)
    assert kept.since("d") == ("", True)


def test_a_full_place_makes_no_gap_in_another() -> None:
    kept = Kept(each=2)
    kept.add("r", place=ROOM)
    kept.add("a", "b", "c", "d")
    assert kept.since("r", ROOM) == ("", True)
    assert kept.since("r", USER, ROOM) == ("c d", False)


def test_there_is_a_bound_for_all_together() -> None:
    kept = Kept(in_all=3)
    for number in range(5):
        kept.add(f"m{number}", place=room_place(str(number)))
    assert (len(kept.history), kept.acked) == (3, "m0 m1")
    assert kept.since("m0", *map(room_place, "01234")) == ("m2 m3 m4", False)
    assert kept.since("m1", *map(room_place, "01234")) == ("m2 m3 m4", True)


def test_what_is_old_goes_and_its_mark_with_it() -> None:
    kept = Kept(lasts=STEP * 2.5)
    kept.add("a", "b", "c", "d")
    assert kept.acked == "a"
    kept.history.expire(kept.now + STEP)
    assert kept.acked == "a b"
    assert kept.since("a") == ("c d", False)
    kept.history.expire(kept.now + 10 * STEP)
    assert len(kept.history) == 0


def test_a_reply_is_kept_for_the_client_that_asked() -> None:
    kept = Kept()
    kept.add("a")
    kept.add("reply", code="c1")
    assert kept.since("a", code="c1") == ("reply", True)
    assert kept.since("a", code="c2") == ("", True)


def test_what_the_broker_gives_again_after_a_loss_is_known() -> None:
    kept, again = Kept(each=1), FakeReceived()
    kept.add("a", "b")
    assert kept.history.knows("b", again) is True
    assert again.settled == []
    kept.add("c")
    assert again.settled == ["ack"], "the one in hand now is settled, not the one that was lost"
    acked_before = FakeReceived()
    assert kept.history.knows("a", acked_before) is True
    assert acked_before.settled == ["ack"]
    assert kept.history.knows("new", FakeReceived()) is False


def test_a_flood_leaves_a_bounded_number_of_marks() -> None:
    kept = Kept(each=1, in_all=2)
    kept.add(*(f"m{number}" for number in range(50)), step=0.0)
    assert len(kept.history._arrivals) == 8


def test_everything_is_left_to_the_next_gateway_of_the_name() -> None:
    kept = Kept()
    kept.add("a", "b")
    kept.history.give_back()
    assert [received.settled for received in kept.handed.values()] == [["requeue"], ["requeue"]]


@given(st.lists(st.sampled_from("ur"), max_size=40), st.integers(1, 5), st.integers(5, 12), st.data())
def test_whoever_is_told_that_nothing_is_missing_gets_all_that_came(
    places: list[str], each: int, in_all: int, data: st.DataObject
) -> None:
    kept = Kept(each=each, in_all=in_all)
    names = [f"m{number}" for number in range(len(places))]
    for name, place in zip(names, places, strict=True):
        kept.add(name, place=USER if place == "u" else ROOM)
    if not names:
        return
    mark = data.draw(st.sampled_from(names))
    found, is_whole = kept.since(mark, USER, ROOM)
    after = names[names.index(mark) + 1 :]
    assert set(found.split()) <= set(after)
    assert is_whole == (found.split() == after)
