"""A track: points that get coarser with age, and what was in between."""

from __future__ import annotations

import pytest

from penstock.broker.track import COARSER, DAY, HOUR, ROOM, Track


def test_between_two_points_it_goes_straight() -> None:
    track = Track(10.0, [0, 100])
    track.add(20.0, [50, 0])
    assert list(track.points([10.0, 15.0, 20.0])) == [[0, 100], [25, 50], [50, 0]]


def test_before_the_first_point_and_after_the_last_it_stands_still() -> None:
    track = Track(10.0, [7])
    track.add(20.0, [9])
    assert list(track.points([1.0, 99.0])) == [[7], [9]]


def test_what_is_newer_than_the_track_is_told_along() -> None:
    track = Track(10.0, [0])
    assert list(track.points([15.0, 25.0], (20.0, [10]), (30.0, [10]))) == [[5], [10]]


@pytest.mark.parametrize("keeps", [HOUR, DAY])
def test_however_long_it_goes_on_it_takes_no_more_room(keeps: float) -> None:
    track = Track(0.0, [0], keeps)
    for number in range(1, 3 * int(keeps) // 5):
        track.add(number * 5.0, [number * 10])
        assert len(track._times) <= ROOM[keeps]
    now = track.ends_at
    oldest = now - keeps + COARSER[0][1]
    # It grew evenly all the time, so whatever was dropped is as it was.
    moments = [now, now - 17.5, now - 600, now - 3000, oldest]
    assert [row[0] for row in track.points(moments)] == [round(at * 2) for at in moments]


def test_what_is_young_is_kept_to_the_point() -> None:
    track = Track(0.0, [0])
    for number in range(1, 2000):
        track.add(number * 5.0, [number % 7])
    now = track.ends_at
    moments = [now - 5.0 * number for number in range(121)]
    assert [row[0] for row in track.points(moments)] == [int(at // 5) % 7 for at in moments]


def test_a_track_is_over_when_nothing_has_changed_for_as_long_as_is_kept() -> None:
    track = Track(0.0, [0])
    assert not track.is_over(HOUR)
    assert track.is_over(HOUR + 1)
    assert repr(track) == "<Track of 1 points, 0 s>"
