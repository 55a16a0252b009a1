"""What a page watches: when each path is due, and what is news."""

from __future__ import annotations

import msgspec
import pytest

from penstock.panel.watched import PATH_MOST, PATHS, Answer, Watched


def answer(text: str, status: int = 200) -> Answer:
    return Answer(status, msgspec.Raw(text.encode()))


def test_what_is_new_is_due_at_once_and_then_after_its_time() -> None:
    watched = Watched()
    watched.change({"/api/overview": 1, "/api/nodes": 5}, now=10.0)
    assert watched.due(10.0) == ["/api/overview", "/api/nodes"]
    assert watched.due(10.5) == []
    assert watched.next_at() == 11.0
    assert watched.due(11.0) == ["/api/overview"]
    assert watched.due(15.0) == ["/api/overview", "/api/nodes"]


def test_a_late_look_is_not_caught_up_with() -> None:
    watched = Watched()
    watched.change({"/api/overview": 1}, now=0.0)
    watched.due(0.0)
    assert watched.due(30.0) == ["/api/overview"]
    assert watched.next_at() == 31.0


@pytest.mark.parametrize(("asked", "given"), [(0.0, 1.0), (-5.0, 1.0), (2.5, 2.5), (1e9, 60.0)])
def test_nobody_looks_more_often_than_each_second_nor_less_than_each_minute(
    asked: float, given: float
) -> None:
    watched = Watched()
    watched.change({"/api/overview": asked}, now=0.0)
    watched.due(0.0)
    assert watched.next_at() == given


def test_an_answer_is_news_once() -> None:
    watched = Watched()
    watched.change({"/api/overview": 1}, now=0.0)
    assert watched.is_news("/api/overview", answer("1"))
    assert not watched.is_news("/api/overview", answer("1"))
    assert watched.is_news("/api/overview", answer("1", 404))
    assert watched.is_news("/api/overview", answer("2"))


def test_again_is_at_once_and_news_whatever_was_told() -> None:
    watched = Watched()
    watched.change({"/api/overview": 1, "/api/nodes": 5}, now=10.0)
    watched.due(10.0)
    watched.is_news("/api/overview", answer("1"))
    watched.again(10.5)
    assert watched.due(10.5) == ["/api/overview", "/api/nodes"]
    assert watched.is_news("/api/overview", answer("1"))
    assert watched.next_at() == 11.5


def test_what_nobody_watches_any_more_is_no_news() -> None:
    watched = Watched()
    watched.change({"/api/overview": 1}, now=0.0)
    watched.change({"/api/nodes": 1}, now=0.0)
    assert not watched.is_news("/api/overview", answer("1"))
    assert watched.due(0.0) == ["/api/nodes"]


def test_what_stays_watched_goes_on_as_it_was() -> None:
    watched = Watched()
    watched.change({"/api/overview": 1}, now=0.0)
    watched.due(0.0)
    watched.is_news("/api/overview", answer("1"))
    watched.change({"/api/overview": 1, "/api/nodes": 1}, now=0.5)
    assert watched.due(0.5) == ["/api/nodes"]
    assert not watched.is_news("/api/overview", answer("1"))


def test_a_page_that_watches_nothing_is_never_due() -> None:
    watched = Watched()
    watched.change({"/api/overview": 1}, now=0.0)
    watched.change({}, now=0.0)
    assert watched.due(100.0) == []
    assert watched.next_at() is None


BAD = {
    "no path of the API": {"/login": 1.0},
    "another host's": {"//evil.example/api/": 1.0},
    "too long": {"/api/" + "x" * PATH_MOST: 1.0},
    "no ASCII": {"/api/ü": 1.0},
    "with a line's end": {"/api/x\r\nHost: y": 1.0},
    "too many": {f"/api/{number}": 1.0 for number in range(PATHS + 1)},
}


@pytest.mark.parametrize("paths", BAD.values(), ids=BAD)
def test_other_paths_are_refused_and_nothing_changes(paths: dict[str, float]) -> None:
    watched = Watched()
    watched.change({"/api/overview": 1}, now=0.0)
    with pytest.raises(ValueError, match="at most"):
        watched.change(paths, now=0.0)
    assert watched.due(0.0) == ["/api/overview"]
