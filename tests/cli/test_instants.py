from __future__ import annotations

import pytest

from penstock.cli.instants import maybe_instant
from penstock.errors import BadSetting


@pytest.mark.parametrize(
    ("text", "expected"),
    [(None, None), ("1970-01-02", 86400.0), ("1970-01-01T01:00+01:00", 0.0)],
)
def test_an_instant_is_utc_unless_it_says_otherwise(text: str | None, expected: float | None) -> None:
    assert maybe_instant(text, "from") == expected


def test_what_is_none_is_told_with_an_example() -> None:
    with pytest.raises(BadSetting, match="from: 'yesterday' is no instant like 2026-01-31T12:00"):
        maybe_instant("yesterday", "from")
