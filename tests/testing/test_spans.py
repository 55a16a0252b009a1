from __future__ import annotations

from datetime import timedelta

import pytest

from penstock.testing.spans import Span, seconds_in


@pytest.mark.parametrize(
    ("span", "seconds"),
    [
        (3, 3.0),
        (0.5, 0.5),
        ("3 days", 259_200.0),
        ("1 day", 86_400.0),
        ("250ms", 0.25),
        ("1 s", 1.0),
        ("1 h 30 min", 5400.0),
        ("1h30min", 5400.0),
        ("2 Weeks, 1 Second", 1_209_601.0),
        (" 1.5 hours ", 5400.0),
        (timedelta(minutes=2), 120.0),
    ],
)
def test_a_span_is_read_as_people_write_it(span: Span, seconds: float) -> None:
    assert seconds_in(span) == seconds


@pytest.mark.parametrize("text", ["", "3", "days", "3 moons", "-1 s", "1 h and more", "1 dayx"])
def test_what_is_no_span_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match='is not a span of time like "3 days"'):
        seconds_in(text)


@pytest.mark.parametrize("span", [-1, -0.5, float("nan"), timedelta(days=-1)])
def test_time_does_not_run_backwards(span: Span) -> None:
    with pytest.raises(ValueError, match="time does not run backwards"):
        seconds_in(span)
