from __future__ import annotations

from typing import Any

import pytest

from penstock.messaging.headers import ATTEMPTS, FAILURES, carried, count_of, instant_of, text_of


@pytest.mark.parametrize(
    "left_behind",
    [
        "x-death",
        "x-death-error",
        "x-first-death-queue",
        "x-last-death-reason",
        "x-delivery-count",
        "x-acquired-count",
        "x-delay",
        "CC",
        "BCC",
    ],
)
def test_a_copy_does_not_carry_what_brokers_wrote_nor_what_was_for_one_journey(left_behind: str) -> None:
    headers = {left_behind: "something", "CCS": 1, "x-penstock-attempts": 2, "mine": "yes"}
    assert carried(headers) == {"CCS": 1, "x-penstock-attempts": 2, "mine": "yes"}


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (3, 3),
        ("7", 7),  # another language's client
        (-1, 0),
        ("-1", 0),
        ("many", 0),
        ("٣", 0),
        (None, 0),
        (True, 0),
        ([], 0),
        ("9" * 400, 10**18 - 1),
    ],
)
def test_a_count_that_makes_no_sense_is_none(value: Any, expected: int) -> None:
    assert count_of({ATTEMPTS: value}, ATTEMPTS) == expected
    assert count_of({}, ATTEMPTS) == 0


def test_a_text_is_a_text() -> None:
    assert text_of({"a": "b", "n": 5}, "a") == "b"
    assert text_of({"a": "b", "n": 5}, "n") == "5"
    assert not text_of({}, "a")


@pytest.mark.parametrize(("value", "expected"), [("12.5", 12.5), (3, 3.0), ("soon", None), ("inf", None)])
def test_an_instant_is_seconds_as_text(value: Any, expected: float | None) -> None:
    assert instant_of({"at": value}, "at") == expected
    assert instant_of({}, "at") is None


def test_all_of_ours_are_marked_as_ours() -> None:
    assert all(name.startswith("x-penstock-") for name in FAILURES)
