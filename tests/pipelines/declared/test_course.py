from __future__ import annotations

import random

from penstock.pipelines.declared.course import Course, Next


def test_a_batch_that_fails_again_and_again_has_its_rows_suspected() -> None:
    course = Course(suspect_after=3)
    following = [course.failed(7) for _ in range(7)]
    again, suspect = Next.TRY_AGAIN, Next.SUSPECT_ROWS
    assert following == [again, again, suspect, again, again, suspect, again]


def test_failures_of_different_batches_are_no_reason_for_suspicion() -> None:
    course = Course(suspect_after=2)
    assert [course.failed(batch) for batch in (1, 2, 1, 2)] == [Next.TRY_AGAIN] * 4


def test_without_a_batch_there_are_no_rows_to_suspect() -> None:
    course = Course(suspect_after=1)
    assert [course.failed(None) for _ in range(5)] == [Next.TRY_AGAIN] * 5


def test_a_batch_that_is_done_ends_the_suspicion() -> None:
    course = Course(suspect_after=2, give_up_after=2)
    course.failed(1)
    course.went_on()
    assert course.failed(1) is Next.TRY_AGAIN
    assert course.failures == 1


def test_whoever_is_to_end_gives_up_in_the_end() -> None:
    course = Course(suspect_after=3, give_up_after=4)
    following = [course.failed(batch) for batch in (None, 1, 1, 1, 1)]
    assert following == [Next.TRY_AGAIN] * 3 + [Next.SUSPECT_ROWS, Next.GIVE_UP]


def test_waits_grow_up_to_a_limit_are_never_quite_the_same_and_begin_anew() -> None:
    course = Course(suspect_after=3, chance=random.Random(1))
    waits = [course.wait() for _ in range(12)]
    assert 0.5 <= waits[0] <= 1.0
    assert waits[5] > waits[0] * 8
    assert all(30.0 <= wait <= 60.0 for wait in waits[-3:])
    assert len(set(waits)) == 12
    course.went_on()
    assert course.wait() <= 1.0


def test_it_shows_where_it_is() -> None:
    course = Course(suspect_after=3)
    course.failed(4)
    assert repr(course) == "<Course: batch 4 failed 1 times>"
