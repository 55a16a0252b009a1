from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from penstock.panel.api import moving
from tests.panel.house import House

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

MOVE = "/penstock/queues/%2F/q/move"


@pytest.fixture(params=["memory", "disk"])
def house(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[House]:
    """Brokers with twenty messages in one queue, and another queue."""
    monkeypatch.setattr(moving, "SLICE", 4)
    where = {} if request.param == "memory" else {"data": tmp_path, "window": 16}
    with House(**where) as house:
        house.put("/queues/%2F/q")
        house.put("/queues/%2F/other")
        for number in range(20):
            house.publish("q", f"m{number}", headers={"n": number}, delivery_mode=2)
        yield house


def bodies(house: House, queue: str) -> list[str]:
    return [each["payload"] for each in house.get(f"/penstock/queues/%2F/{queue}/peek?count=500")]


def test_all_that_waits_is_moved_in_order(house: House) -> None:
    assert house.post(MOVE, {"to": "other"}) == {"moved": 20}
    assert (bodies(house, "q"), bodies(house, "other")) == ([], [f"m{at}" for at in range(20)])
    [first] = house.get("/penstock/queues/%2F/other/peek?count=1")
    assert (first["redelivered"], first["exchange"], first["routing_key"]) == (False, "", "q")


def test_so_many_are_moved_as_are_asked_for(house: House) -> None:
    assert house.post(MOVE, {"to": "other", "count": 7}) == {"moved": 7}
    assert (bodies(house, "q")[0], bodies(house, "other")) == ("m7", [f"m{at}" for at in range(7)])


def test_those_that_fit_a_filter_are_moved_from_wherever_they_stand(house: House) -> None:
    assert house.post(MOVE, {"to": "other", "filter": "n > 3 AND n < 18", "count": 13}) == {"moved": 13}
    assert bodies(house, "other") == [f"m{at}" for at in range(4, 17)]
    assert bodies(house, "q") == ["m0", "m1", "m2", "m3", "m17", "m18", "m19"]


def test_a_full_queue_takes_no_more_and_nothing_is_lost(house: House) -> None:
    house.put("/queues/%2F/small", {"arguments": {"x-max-length": 3, "x-overflow": "reject-publish"}})
    assert house.post(MOVE, {"to": "small"}) == {"moved": 3}
    assert (bodies(house, "q")[0], len(bodies(house, "q"))) == ("m3", 17)
    assert house.post(MOVE, {"to": "small", "filter": "n = 9"}) == {"moved": 0}
    assert len(bodies(house, "q")) == 17


def test_what_was_moved_is_there_after_a_restart(tmp_path: Path) -> None:
    with House(data=tmp_path) as house:
        house.put("/queues/%2F/q")
        house.put("/queues/%2F/other")
        for number in range(6):
            house.publish("q", f"m{number}", headers={"n": number}, delivery_mode=2)
        house.post(MOVE, {"to": "other", "count": 2})
        house.post(MOVE, {"to": "other", "filter": "n = 4"})
    with House(data=tmp_path) as house:
        assert (bodies(house, "q"), bodies(house, "other")) == (["m2", "m3", "m5"], ["m0", "m1", "m4"])


@pytest.mark.parametrize(
    ("body", "status", "reason"),
    [
        ({"to": "q"}, 400, "not to itself"),
        ({"to": "none"}, 404, "no queue 'none'"),
        ({"to": "other", "count": 0}, 400, "count is at least 1"),
        ({"to": "other", "filter": "n ="}, 400, "(column "),
        ({}, 400, "missing required field `to`"),
    ],
)
def test_what_cannot_be_is_refused(house: House, body: Any, status: int, reason: str) -> None:
    answer = house.ask("POST", MOVE, body)
    assert (answer.status, reason in answer.json["reason"]) == (status, True), answer.body
    assert len(bodies(house, "q")) == 20
