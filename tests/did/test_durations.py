from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.did.durations import go_duration, read_go_duration, shown_go_duration


@pytest.mark.parametrize(
    ("written", "seconds"),
    [
        ("2s", 2.0),
        ("1m30s", 90.0),
        ("24h", 86_400.0),
        ("1.5h", 5400.0),
        (".5s", 0.5),
        ("1.s", 1.0),
        ("300ms", 0.3),
        ("1h2m3s4ms", 3723.004),
        ("250us", 0.00025),
        ("250µs", 0.00025),
        ("5ns", 5e-9),
        (" 10s ", 10.0),
        # As Penstock writes them.
        ("10min", 600.0),
        ("7d", 604_800.0),
        ("30", 30.0),
        (30, 30.0),
        (0.5, 0.5),
    ],
)
def test_durations_are_read_as_go_and_as_penstock_write_them(written: object, seconds: float) -> None:
    assert read_go_duration(written) == seconds


@pytest.mark.parametrize("wrong", ["", "s", "1m30", "-2s", "1 m", "2x", None, True, [], "1s" * 30])
def test_what_is_no_duration_is_told_with_an_example(wrong: object) -> None:
    with pytest.raises(ValueError, match="not a duration like 2s, 1m30s or 24h"):
        read_go_duration(wrong)


@pytest.mark.parametrize(
    ("seconds", "written"),
    [(0, "0s"), (90, "1m30s"), (86_400, "24h"), (600.0, "10m"), (0.3, "300ms"), (3601.5, "1h1.5s")],
)
def test_durations_are_shown_as_go_writes_them(seconds: float, written: str) -> None:
    assert shown_go_duration(seconds) == written


@given(st.integers(0, 10**9).map(lambda milliseconds: milliseconds / 1000))
def test_what_is_shown_reads_as_the_same(seconds: float) -> None:
    assert read_go_duration(shown_go_duration(seconds)) == seconds


def test_a_duration_out_of_bounds_is_refused_with_the_bounds() -> None:
    kind = go_duration(1, 90)
    assert kind.takes == "a duration from 1s to 1m30s"
    assert kind.read("1m30s") == 90
    with pytest.raises(ValueError, match="'2m' is not from 1s to 1m30s"):
        kind.read("2m")
