"""Instants keep their meaning in every time zone."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

from penstock.pipelines.instants import in_utc

if TYPE_CHECKING:
    from collections.abc import Iterator

NOON = datetime(2026, 1, 31, 12, tzinfo=UTC)


@pytest.fixture
def in_tokyo(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.usefixtures("in_tokyo")
@pytest.mark.parametrize(
    ("value", "expected"),
    [(datetime(2026, 1, 31, 21), NOON), (NOON, NOON), (5, 5), (None, None)],  # noqa: DTZ001  as PySpark makes them
)
def test_a_local_time_says_so(value: Any, expected: Any) -> None:
    assert in_utc(value) == expected
