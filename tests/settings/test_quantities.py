from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.settings.quantities import (
    read_duration,
    read_share_or_size,
    read_size,
    shown_duration,
    shown_share_or_size,
    shown_size,
)


@pytest.mark.parametrize(
    ("written", "size"),
    [
        (65536, 65536),
        ("65536", 65536),
        ("64KiB", 65536),
        (" 64 kib ", 65536),
        ("50MB", 50_000_000),
        ("1.5kB", 1500),
        ("2GiB", 2 << 30),
        ("1TB", 10**12),
        ("0B", 0),
        ("10000000000000000000000000001TB", (10**28 + 1) * 10**12),
    ],
)
def test_a_size_is_read(written: Any, size: int) -> None:
    assert read_size(written) == size


@pytest.mark.parametrize(
    ("written", "complaint"),
    [
        ("64K", "unit 'K' is not one of B, kB, KiB"),  # 1000 or 1024?
        ("1.5B", "not a whole number of bytes"),
        ("1.00001KiB", "not a whole number of bytes"),
        ("-1kB", "is not a size like 64KiB"),
        ("", "is not a size"),
        ("KiB", "is not a size"),
        ("1 000", "is not a size"),
        ("٣kB", "is not a size"),  # digits, but not ours
        ("9" * 50, "is not a size"),
        (1.5, "is not a size"),
        (True, "is not a size"),
        (None, "is not a size"),
    ],
)
def test_what_is_no_size_is_refused(written: Any, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        read_size(written)


@pytest.mark.parametrize(
    ("written", "seconds"),
    [
        (5, 5.0),
        (0.25, 0.25),
        ("5", 5.0),
        ("5s", 5.0),
        ("500ms", 0.5),
        ("1.5 min", 90.0),
        ("2H", 7200.0),
        ("7d", 604_800.0),
    ],
)
def test_a_duration_is_read(written: Any, seconds: float) -> None:
    assert read_duration(written) == seconds


@pytest.mark.parametrize("written", ["5 years", "-5s", "", "s", float("inf"), float("nan"), -1, False, [5]])
def test_what_is_no_duration_is_refused(written: Any) -> None:
    with pytest.raises(ValueError, match=r"is not a duration like|is not one of ms, s, min, h, d"):
        read_duration(written)


@pytest.mark.parametrize(
    ("written", "found"),
    [
        ("40%", 0.4),
        (0.4, 0.4),
        ("0.4", 0.4),
        ("100%", 1.0),
        ("2GiB", 2 << 30),
        (1 << 30, 1 << 30),
        ("4096", 4096),
    ],
)
def test_a_share_is_a_float_and_a_size_an_int(written: Any, found: float) -> None:
    read = read_share_or_size(written)
    assert (read, type(read)) == (found, type(found))


@pytest.mark.parametrize("written", ["101%", 1.5, -0.1, float("nan")])
def test_a_share_is_at_most_the_whole(written: Any) -> None:
    with pytest.raises(ValueError, match="a share is between 0% and 100%"):
        read_share_or_size(written)


@pytest.mark.parametrize("written", ["%", "forty", "4" * 60 + "%", None])
def test_what_is_neither_share_nor_size_is_refused(written: Any) -> None:
    with pytest.raises(ValueError, match="is not a size"):
        read_share_or_size(written)


@pytest.mark.parametrize(
    ("shown", "written"),
    [
        (shown_size(65536), "64KiB"),
        (shown_size(50_000_000), "50MB"),
        (shown_size(1001), "1001B"),
        (shown_duration(10.0), "10s"),
        (shown_duration(0.1), "100ms"),
        (shown_duration(60), "1min"),
        (shown_duration(86400), "1d"),
        (shown_duration(0.0001), "0.1ms"),
        (shown_share_or_size(0.6), "60%"),
        (shown_share_or_size(1 << 30), "1GiB"),
    ],
)
def test_quantities_are_shown_in_the_largest_unit(shown: str, written: str) -> None:
    assert shown == written


@given(st.integers(0, 1 << 60))
def test_a_size_that_is_shown_is_read_back(size: int) -> None:
    assert read_size(shown_size(size)) == size


@given(st.floats(0, 1e9).filter(lambda seconds: seconds == 0 or seconds > 1e-6))
def test_a_duration_that_is_shown_is_read_back(seconds: float) -> None:
    assert read_duration(shown_duration(round(seconds, 6))) == round(seconds, 6)


@given(st.integers(0, 1000))
def test_a_share_that_is_shown_is_read_back(thousandths: int) -> None:
    assert read_share_or_size(shown_share_or_size(thousandths / 1000)) == thousandths / 1000


@given(st.text() | st.floats() | st.integers() | st.none() | st.booleans())
def test_any_input_is_read_or_refused(written: Any) -> None:
    for read in (read_size, read_duration, read_share_or_size):
        try:
            assert isinstance(read(written), int | float)
        except ValueError as refused:
            assert str(refused)  # noqa: PT017  either is fine
