"""Samples: what of the past a query asks for, and how it is told beside the present; RabbitMQ's forms.

A query names how far back and how far apart, in seconds, for each kind of numbers:
`?lengths_age=600&lengths_incr=5&msg_rates_age=600&msg_rates_incr=5`. Moments are whole multiples of the
distance, the newest first, so that two answers tell of the same ones.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from penstock.panel.api.listing import number
from penstock.panel.replies import ApiFault

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from penstock.panel.visit import Visit

__all__ = ["Asked", "Past", "added", "details"]

#: Moments of one kind in one answer; a day of RabbitMQ's has 49 and ten minutes have 121.
MOST: Final = 500

#: A moment, and what something told then; None where nobody has asked.
Past: TypeAlias = "list[tuple[float, list[int]]] | None"


class Asked(NamedTuple):
    """The moments that are asked for, of each kind of numbers; None if none are."""

    lengths: list[float] | None = None
    msg_rates: list[float] | None = None
    data_rates: list[float] | None = None

    @classmethod
    def by(cls, visit: Visit) -> Asked:
        """What a visit asks for.

        Raises:
            ApiFault: 400, it cannot be told.
        """
        return cls(*(_moments(visit.query, kind, visit.broker.now) for kind in cls._fields))

    def past(self, kind: str, visit: Visit, thing: object, values: tuple[int, ...]) -> Past:
        """What something that tells these values now has told at the moments that are asked for."""
        moments: list[float] | None = getattr(self, kind)
        if moments is None:
            return None
        return visit.broker.statistics.samples(thing, values, moments, visit.broker.now)


def _moments(query: Mapping[str, str], kind: str, now: float) -> list[float] | None:
    words = [f"{kind}_{word}" for word in ("age", "incr")]
    if not all(query.get(word) for word in words):
        return None
    age, apart = (number(query, word, 0) for word in words)
    if not apart or age > MOST * apart:
        raise ApiFault(400, f"{kind}_age is at most {MOST} times {kind}_incr, not {age} with {apart}")
    last = int(now) // apart * apart
    return [float(last - ago) for ago in range(0, age + 1, apart)]


def details(rate: float, past: Past, column: int) -> dict[str, Any]:
    """How something grows, and what it was: one of the numbers of a past."""
    told: dict[str, Any] = {"rate": rate}
    if past is None:
        return told
    told["samples"] = [{"sample": values[column], "timestamp": int(at * 1000)} for at, values in past]
    if len(past) > 1:
        (newest_at, newest), (oldest_at, oldest) = past[0], past[-1]
        told["avg_rate"] = (newest[column] - oldest[column]) / (newest_at - oldest_at)
        told["avg"] = sum(values[column] for _, values in past) / len(past)
    return told


def added(pasts: Iterable[Past]) -> Past:
    """Several pasts of the same moments in one."""
    known = [past for past in pasts if past is not None]
    return [_sum(rows) for rows in zip(*known, strict=True)] if known else None


def _sum(rows: Sequence[tuple[float, list[int]]]) -> tuple[float, list[int]]:
    return rows[0][0], [sum(column) for column in zip(*(values for _, values in rows), strict=True)]
