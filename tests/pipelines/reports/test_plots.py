"""Pictures: what is in them, and that a file is one."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from penstock.pipelines.reports.plots import MOST_BARS, draw, plot, seconds_shown
from penstock.pipelines.reports.report import Report

if TYPE_CHECKING:
    from pathlib import Path

NOON = datetime(2026, 1, 31, 12, tzinfo=UTC)
RATES = ("at", "type", "events", "per_second")
RETRIES = ("consumer", "attempt", "deliveries", "redelivered")
FAILURES = ("reason", "consumer", "type", "messages", "last")
TIMES = ("route", "consumer", "messages", "p50", "p95", "p99", "longest")


def texts(report: Report) -> list[str]:
    """What stands in a picture."""
    figure = plot(report)
    figure.canvas.draw()
    [axes] = figure.axes
    legend = axes.get_legend()
    named = [text.get_text() for text in legend.get_texts()] if legend is not None else []
    return [
        *named,
        *(text.get_text() for text in axes.get_yticklabels()),
        *(text.get_text() for text in axes.texts),
    ]


def test_rates_are_bands_with_those_that_are_too_many_as_one() -> None:
    rows = [
        (NOON + timedelta(minutes=minute), f"Type{n}", 60 - n, (60 - n) / 60)
        for minute in (0, 1, 5)
        for n in range(8)
    ]
    found = texts(Report("rates", "Events", RATES, [*rows, (NOON, "", 600, 10.0)]))
    assert found[:7] == ["others", "Type4", "Type3", "Type2", "Type1", "Type0", "without a type"]


def test_the_time_in_which_nothing_happened_is_seen() -> None:
    rows = [(NOON, "A", 60, 1.0), (NOON + timedelta(minutes=3), "A", 60, 1.0)]
    [axes] = plot(Report("rates", "Events", RATES, rows)).axes
    [band] = axes.collections
    points: Any = band.get_paths()[0].vertices
    heights = {float(y) for _, y in points}
    assert heights == {0.0, 1.0}


def test_a_bar_for_each_consumer_the_longest_at_the_top() -> None:
    rows: list[Any] = [("mailer", 1, 100, 0), ("mailer", 2, 10, 0), ("stock", 1, 500, 0), ("stock", 7, 1, 0)]
    found = texts(Report("retries", "Deliveries", RETRIES, rows))
    assert found == ["first attempt", "second", "later", "mailer", "stock", "110", "501"]


def test_failures_by_reason_and_consumer_with_the_rest_in_words() -> None:
    rows: list[Any] = [(f"reason {n}", f"consumer {n % 9}", "T", n + 1, NOON) for n in range(MOST_BARS + 3)]
    found = texts(Report("failures", "Why", FAILURES, rows))
    assert "others" in found
    assert found[-1] == "3 others more are in the table"


def test_lead_times_are_named_and_measured() -> None:
    rows: list[Any] = [
        ("shop · A", "mailer", 9, 0.002, 70.0, 700.0, 800.0),
        ("", "audit", 1, 0.0, 0.0, 0.0, 0.0),
    ]
    report = Report("lead-times", "Lead", TIMES, rows)
    assert texts(report) == ["50 %", "95 %", "99 %", "(default) → audit", "shop · A → mailer"]
    [axes] = plot(report).axes
    assert [label.get_text() for label in axes.get_xticklabels()][:3] == ["100 µs", "1 ms", "10 ms"]


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [
        (0, "0"),
        (0.0005, "500 µs"),
        (0.25, "250 ms"),
        (1, "1 s"),
        (90, "1.5 min"),
        (7200, "2 h"),
        (86400, "1 d"),
    ],
)
def test_a_span_in_its_own_unit(seconds: float, shown: str) -> None:
    assert seconds_shown(seconds) == shown


@pytest.mark.parametrize(("suffix", "begins"), [("png", b"\x89PNG"), ("svg", b"<?xml")])
def test_a_picture_is_a_file_and_the_same_each_time(tmp_path: Path, suffix: str, begins: bytes) -> None:
    report = Report("retries", "Deliveries", RETRIES, [("mailer", 0, 100, 0)])
    path = draw(report, tmp_path / "a", suffix)
    again = draw(report, tmp_path / "b", suffix)
    assert path is not None
    assert again is not None
    assert path.name == f"retries.{suffix}"
    assert path.read_bytes().startswith(begins)
    assert path.read_bytes() == again.read_bytes()


def test_nothing_to_see_is_no_picture(tmp_path: Path) -> None:
    assert draw(Report("rates", "Events", (), [], "none"), tmp_path / "a") is None
    assert not (tmp_path / "a").exists()
