from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from penstock.errors import BadSchedule
from penstock.workers.cron import Cron

LONDON = "Europe/London"


def after(expression: str, instant: str, zone: str = "UTC", times: int = 1) -> list[str]:
    """The next times, as that zone's clocks show them."""
    cron, at, found = (
        Cron(expression, zone),
        datetime.fromisoformat(instant).replace(tzinfo=UTC).timestamp(),
        [],
    )
    for _ in range(times):
        at = cron.next_after(at)
        found.append(datetime.fromtimestamp(at, ZoneInfo(zone)).strftime("%Y-%m-%d %H:%M"))
    return found


@pytest.mark.parametrize(
    ("expression", "instant", "expected"),
    [
        ("* * * * *", "2026-01-01 00:00", ["2026-01-01 00:01", "2026-01-01 00:02"]),
        ("*/20 * * * *", "2026-01-01 00:19", ["2026-01-01 00:20", "2026-01-01 00:40"]),
        ("50/5 * * * *", "2026-01-01 00:00", ["2026-01-01 00:50", "2026-01-01 00:55"]),
        ("0 9-17/4 * * *", "2026-01-01 10:00", ["2026-01-01 13:00", "2026-01-01 17:00"]),
        ("30 3 1,15 * *", "2026-01-01 04:00", ["2026-01-15 03:30", "2026-02-01 03:30"]),
        ("0 0 * jan,MAR *", "2026-01-31 12:00", ["2026-03-01 00:00", "2026-03-02 00:00"]),
        # Thursday is the first of January 2026.
        ("0 8 * * mon-tue", "2026-01-01 00:00", ["2026-01-05 08:00", "2026-01-06 08:00"]),
        ("0 8 * * 0", "2026-01-01 00:00", ["2026-01-04 08:00", "2026-01-11 08:00"]),
        ("0 8 * * 7", "2026-01-01 00:00", ["2026-01-04 08:00", "2026-01-11 08:00"]),
        # Either the day or the weekday, where both are named.
        ("0 0 13 * fri", "2026-02-01 00:00", ["2026-02-06 00:00", "2026-02-13 00:00"]),
        ("0 0 29 2 *", "2026-01-01 00:00", ["2028-02-29 00:00", "2032-02-29 00:00"]),
        ("@hourly", "2026-01-01 23:59", ["2026-01-02 00:00", "2026-01-02 01:00"]),
        ("@weekly", "2026-01-01 00:00", ["2026-01-04 00:00", "2026-01-11 00:00"]),
    ],
)
def test_the_next_times_are_those_that_the_expression_says(
    expression: str, instant: str, expected: list[str]
) -> None:
    assert after(expression, instant, times=2) == expected


def test_an_hour_that_the_clocks_skip_does_not_come() -> None:
    # In London 01:00 to 02:00 of 29 March 2026 does not exist.
    assert after("30 1 * * *", "2026-03-28 12:00", LONDON, 2) == ["2026-03-30 01:30", "2026-03-31 01:30"]


def test_an_hour_that_the_clocks_repeat_comes_once() -> None:
    # 01:30 of 25 October 2026 comes twice.
    assert after("30 1 * * *", "2026-10-24 12:00", LONDON, 2) == ["2026-10-25 01:30", "2026-10-26 01:30"]


def test_a_zone_decides_what_noon_is() -> None:
    at = Cron("0 12 * * *", "Asia/Tokyo").next_after(0.0)
    assert datetime.fromtimestamp(at, UTC).hour == 3


@pytest.mark.parametrize(
    ("expression", "why"),
    [
        ("* * * *", "has minute, hour, day, month, weekday"),
        ("@reboot", "or is one of @yearly"),
        ("60 * * * *", "'60' is no minute: those are 0 to 59"),
        ("* * 0 * *", "'0' is no day"),
        ("* * * foo *", "'foo' is no month"),
        ("5-2 * * * *", "nothing is from 5 to 2"),
        ("*/0 * * * *", "in steps of 0"),
        ("1,,2 * * * *", "'' is no minute"),
        ("0 0 30 2 *", "never comes to pass"),
    ],
)
def test_an_expression_that_cannot_be_is_refused_with_the_reason(expression: str, why: str) -> None:
    with pytest.raises(BadSchedule, match=why):
        Cron(expression)


def test_a_zone_that_does_not_exist_is_refused() -> None:
    with pytest.raises(BadSchedule, match="'Mars/North' is no time zone"):
        Cron("@daily", "Mars/North")


def test_a_cron_says_what_it_is() -> None:
    assert str(Cron("@daily", LONDON)) == "@daily (Europe/London)"
    assert Cron("@daily") == Cron("@daily")
