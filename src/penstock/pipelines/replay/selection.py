"""Which events a replay is about, and where they go: together they are the replay's name."""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Final

from pyspark.errors import PySparkException
from pyspark.sql import functions as F  # noqa: N812  as Spark's own manual has it
from pyspark.sql.types import BooleanType

from penstock.errors import BadExpression
from penstock.pipelines.event_log.events import day_of
from penstock.pipelines.saying import first_line

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["Selection", "chosen"]

#: SQL functions that call any Java: an expression only looks.
_CALLS: Final = re.compile(r"\b(java_method|(try_)?reflect)\s*\(", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """Which events, and for whom. The same selection is the same replay."""

    #: When they were published, in seconds since the epoch: from, and before.
    since: float | None = None
    until: float | None = None
    types: tuple[str, ...] = ()
    #: Spark SQL that is true for them.
    where: str | None = None
    #: The queue of the one consumer that gets them; None is everybody who did.
    queue: str | None = None

    @property
    def name(self) -> str:
        """What tells it from other replays: short, and the same each time."""
        said = asdict(self) | {"types": sorted(set(self.types))}
        return sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()[:16]

    def __str__(self) -> str:
        said = {name: value for name, value in asdict(self).items() if value not in (None, ())}
        return ", ".join(f"{name} {value}" for name, value in said.items()) or "all events"


def chosen(events: DataFrame, selection: Selection) -> DataFrame:
    """The events that are meant.

    Args:
        events: As the view `events` has them.
        selection: Which.

    Raises:
        BadExpression: `where` cannot be, and why.
    """
    if selection.since is not None:
        events = events.where(F.col("at") >= F.timestamp_seconds(F.lit(selection.since)))
    if selection.until is not None:
        events = events.where(F.col("at") < F.timestamp_seconds(F.lit(selection.until)))
    # The days are said, too: they are folders, and the others are not looked into.
    for bound, is_low in ((selection.since, True), (selection.until, False)):
        if bound is not None:
            day = day_of(F.timestamp_seconds(F.lit(bound)))
            events = events.where(F.col("day") >= day if is_low else F.col("day") <= day)
    if selection.types:
        events = events.where(F.col("type").isin(*selection.types))
    return events if selection.where is None else _where(events, selection.where)


def _where(events: DataFrame, expression: str) -> DataFrame:
    if _CALLS.search(expression):
        raise BadExpression(f"--where only looks at events, and calls no Java: {expression}")
    try:
        kind = events.select(F.expr(expression)).schema[0].dataType
    except PySparkException as exc:
        raise BadExpression(f"--where {expression!r} cannot be: {first_line(exc)}") from exc
    if not isinstance(kind, BooleanType):
        raise BadExpression(f"--where {expression!r} is {kind.simpleString()}, and not true or false")
    return events.where(F.expr(expression))
