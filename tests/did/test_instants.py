from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.did.instants import from_rfc_3339, rfc_3339


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("1970-01-01T00:00:00Z", 0.0),
        ("2022-03-17T19:50:48.7559537Z", 1647546648.755953),  # Go's nanoseconds, cut
        ("2022-03-17T20:50:48+01:00", 1647546648.0),
        ("2022-03-17t19:50:48z", 1647546648.0),
        ("9999-12-31T23:59:59Z", 253402300799.0),
    ],
)
def test_an_instant_of_others_is_read(text: str, seconds: float) -> None:
    assert from_rfc_3339(text) == seconds


def test_an_instant_is_written_to_the_microsecond() -> None:
    assert rfc_3339(0) == "1970-01-01T00:00:00.000000Z"
    assert rfc_3339(1647546648.755953) == "2022-03-17T19:50:48.755953Z"


@given(st.integers(0, 4_000_000_000 * 1000))
def test_what_is_written_is_read_back(milliseconds: int) -> None:
    assert from_rfc_3339(rfc_3339(milliseconds / 1000)) == milliseconds / 1000


@pytest.mark.parametrize(
    "text",
    [
        None,
        7,
        "",
        "2022-03-17",
        "2022-03-17T19:50:48",  # of which zone?
        "2022-03-17 19:50:48Z",
        "20220317T195048Z",
        "2022-W11-4T19:50:48Z",
        "2022-13-17T19:50:48Z",
        "2022-03-17T25:50:48Z",
        "0001-01-01T00:00:00+00:01",
        "9999-12-31T23:59:59-00:01",
        "9999-12-31T23:59:59.999999Z",
        "٢٠٢٢-03-17T19:50:48Z",
    ],
)
def test_anything_else_is_no_instant(text: object) -> None:
    with pytest.raises(ValueError, match=r".+"):
        from_rfc_3339(text)
