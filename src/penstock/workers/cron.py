"""Cron expressions: minute, hour, day, month, weekday, as crontab(5) has them, in a time zone. Pure.

    */5 * * * *        every five minutes          0 9-17 * * mon-fri     on the hour, in office hours
    30 3 1,15 * *      twice a month               @daily                 at midnight

Where both a day and a weekday are named, either will do, as in every cron. A time that the clocks skip in
spring does not come; one that they repeat in autumn comes once, the first time.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, Final, NamedTuple
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from penstock.errors import BadSchedule

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["Cron"]


class _Field(NamedTuple):
    """One of the five, and what it may be."""

    name: str
    least: int
    most: int
    words: Mapping[str, int]


def _words(text: str, first: int) -> dict[str, int]:
    return {word: number for number, word in enumerate(text.split(), first)}


#: In the order they are written in. Sunday is 0, and 7 too.
FIELDS: Final = (
    _Field("minute", 0, 59, {}),
    _Field("hour", 0, 23, {}),
    _Field("day", 1, 31, {}),
    _Field("month", 1, 12, _words("jan feb mar apr may jun jul aug sep oct nov dec", 1)),
    _Field("weekday", 0, 7, _words("sun mon tue wed thu fri sat", 0)),
)
SHORT: Final = {
    "@yearly": "0 0 1 1 *",
    "@monthly": "0 0 1 * *",
    "@weekly": "0 0 * * 0",
    "@daily": "0 0 * * *",
    "@hourly": "0 * * * *",
}
#: Days that are looked at: 29 February comes within eight years, round a century that has none.
HORIZON: Final = 366 * 9
_PART: Final = re.compile(r"(?:(\*)|(\w+)(?:-(\w+))?)(?:/(\d+))?", re.ASCII)
_SUNDAY: Final = 7


@dataclass(frozen=True, slots=True)
class Cron:
    """When something is to be done, again and again."""

    expression: str
    zone: str = "UTC"
    #: The numbers that each field allows, made from the expression.
    _allowed: tuple[frozenset[int], ...] = field(init=False, repr=False, compare=False)
    #: Whether a day or a weekday will do, both being named.
    _either: bool = field(init=False, repr=False, compare=False)
    _zone: ZoneInfo = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        words = SHORT.get(self.expression.strip().lower(), self.expression).lower().split()
        if len(words) != len(FIELDS):
            names = ", ".join(each.name for each in FIELDS)
            raise BadSchedule(f"{self.expression!r}: a cron expression has {names}, or is one of {_SHORT}")
        allowed = [_numbers(word, each) for word, each in zip(words, FIELDS, strict=True)]
        object.__setattr__(self, "_allowed", tuple(allowed))
        _, _, day, _, weekday = words
        object.__setattr__(self, "_either", not day.startswith("*") and not weekday.startswith("*"))
        try:
            object.__setattr__(self, "_zone", ZoneInfo(self.zone))
        except (ZoneInfoNotFoundError, ValueError) as exc:
            raise BadSchedule(f"{self.zone!r} is no time zone, such as Europe/London") from exc
        if next(self._days(date(2000, 1, 1)), None) is None:
            raise BadSchedule(f"{self.expression!r} never comes to pass")

    def __str__(self) -> str:
        return f"{self.expression} ({self.zone})"

    def next_after(self, instant: float) -> float:
        """The first time after that, in seconds since the epoch."""
        begun = datetime.fromtimestamp(instant, self._zone).date()
        # A day's times are in the order of the wall clock, which is that of time itself but in autumn.
        return next(at for day in self._days(begun) for at in sorted(self._times(day)) if at > instant)

    def _days(self, first: date) -> Iterator[date]:
        _, _, days, months, weekdays = self._allowed
        for number in range(HORIZON):
            day = first + timedelta(days=number)
            fits = (day.day in days, day.isoweekday() % _SUNDAY in weekdays)
            if day.month in months and (any(fits) if self._either else all(fits)):
                yield day

    def _times(self, day: date) -> Iterator[float]:
        for hour in self._allowed[1]:
            for minute in self._allowed[0]:
                wall = datetime(day.year, day.month, day.day, hour, minute, tzinfo=self._zone)
                # What does not come back the same is an hour that the clocks skip.
                if wall.astimezone(UTC).astimezone(self._zone).replace(fold=0) == wall:
                    yield wall.timestamp()


_SHORT: Final = ", ".join(SHORT)


def _numbers(word: str, of: _Field) -> frozenset[int]:
    found = frozenset(number for part in word.split(",") for number in _part(part, of))
    # Both names of Sunday.
    return found | {0} if of.most == _SUNDAY and _SUNDAY in found else found


def _part(part: str, of: _Field) -> range:
    match = _PART.fullmatch(part)
    if match is None:
        raise BadSchedule(f"{part!r} is no {of.name} of a cron expression")
    star, first, last, step = match.groups()
    least = of.least if star else _number(first, of)
    most = of.most if star or (step and not last) else _number(last or first, of)
    if most < least or step == "0":
        raise BadSchedule(f"{part!r} is no {of.name}: nothing is from {least} to {most} in steps of {step}")
    return range(least, most + 1, int(step or 1))


def _number(text: str, of: _Field) -> int:
    number = of.words.get(text, int(text) if text.isdigit() else -1)
    if not of.least <= number <= of.most:
        raise BadSchedule(f"{text!r} is no {of.name}: those are {of.least} to {of.most}")
    return number
