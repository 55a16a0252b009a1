from __future__ import annotations

import pytest

from penstock.errors import UnknownVersion
from penstock.sidetree.instants import read_instant, written


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("1970-01-01T00:00:00Z", 0),
        ("2022-05-10T17:00:00Z", 1652202000),
        ("2022-05-10T19:00:00+02:00", 1652202000),
        ("2022-05-10T17:00:00.999Z", 1652202000),
        ("2022-05-10t17:00:00z", 1652202000),
    ],
)
def test_instants_are_read(text: str, seconds: int) -> None:
    assert read_instant(text) == seconds


def test_instants_are_written_in_utc() -> None:
    assert written(1652202000) == "2022-05-10T17:00:00Z"


@pytest.mark.parametrize(
    "text",
    [
        *("", "yesterday", "2022-05-10T17:00:00", "1652202000", "2022-13-10T17:00:00Z"),
        # Of ISO 8601, and not of RFC 3339: who means something else by them would never know.
        *("2022-W19-2T17:00:00Z", "20220510T170000Z", "2022-05-10T17+00:00", "2022-05-10 17:00:00+00:00"),
        *("2022-05-10T17:00:00,5Z", "2022-05-10T17:00:00+05:30:30", "2022-05-10T17:00Z"),
    ],
)
def test_what_is_no_instant_is_refused(text: str) -> None:
    with pytest.raises(UnknownVersion, match="versionTime must"):
        read_instant(text)
