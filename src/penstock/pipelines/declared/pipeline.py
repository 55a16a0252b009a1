"""A pipeline: a name, where rows come from, what is made of them, where they go, and how often.

It is a value. Called with rows, it is its transform, so that a test needs inline rows and nothing else.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

from penstock.errors import BadPipeline
from penstock.settings.quantities import read_duration, shown_duration

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import DataFrame

    from penstock.pipelines.declared.ports import Keeper, Sink, Source

__all__ = ["Pipeline", "Transform", "as_they_are", "pipeline"]

#: From rows to rows: no session, no I/O.
Transform: TypeAlias = "Callable[[DataFrame], DataFrame]"

#: A name is a folder's, a query's, and part of what a table remembers.
NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,99}", re.ASCII)


def as_they_are(rows: DataFrame) -> DataFrame:
    """The transform of a pipeline whose sink does all the work."""
    return rows


@dataclass(frozen=True, slots=True, kw_only=True)
class Pipeline:
    """One pipeline. `pipeline` makes it around a function."""

    name: str
    source: Source
    sink: Sink
    transform: Transform = as_they_are
    #: From the beginning of one batch to that of the next; nothing is as soon as possible.
    trigger: str = "0s"
    #: How often a batch must fail until single rows are suspected.
    suspect_after: int = 3
    #: How many rows of one batch can be set aside; if more fail, the code is to blame, or what it depends on.
    set_aside_at_most: int = 100
    #: A table or a queue that gets rows that were set aside, besides the pipeline's folder.
    set_aside_to: Keeper | None = None

    def __post_init__(self) -> None:
        if not NAME.fullmatch(self.name):
            allowed = "letters, digits, - _ and . after the first, at most 100"
            raise BadPipeline(f"{self.name!r} is no name for a pipeline: it has {allowed}")
        try:
            read_duration(self.trigger)
        except ValueError as exc:
            raise BadPipeline(f"pipeline {self.name}: the trigger is {exc}") from exc
        for name in ("suspect_after", "set_aside_at_most"):
            if getattr(self, name) < 1:
                raise BadPipeline(f"pipeline {self.name}: {name} must be at least 1")

    @property
    def every_ms(self) -> int:
        """The trigger, in whole milliseconds."""
        return round(read_duration(self.trigger) * 1000)

    @property
    def shown_trigger(self) -> str:
        """The trigger, for people."""
        return f"every {shown_duration(self.every_ms / 1000)}" if self.every_ms else "at once"

    @property
    def modules(self) -> set[str]:
        """Those that executors must be able to import: what is named travels by its name."""
        types = [getattr(end, "type", None) for end in (self.source, self.sink)]
        return {each.__module__ for each in (self.transform, *types) if each is not None}

    def __call__(self, rows: DataFrame) -> DataFrame:
        """What it makes of rows."""
        return self.transform(rows)

    def __repr__(self) -> str:
        return f"<Pipeline {self.name}: {self.source} → {self.sink}>"


def pipeline(
    name: str,
    *,
    source: Source,
    sink: Sink,
    trigger: str = "0s",
    suspect_after: int = 3,
    set_aside_at_most: int = 100,
    set_aside_to: Keeper | None = None,
) -> Callable[[Transform], Pipeline]:
    """Declare the decorated function as a pipeline's transform.

    Args:
        name: Its folder, its query and its progress are named so.
        source: Where rows come from.
        sink: Where they go.
        trigger: How long from the beginning of one batch to that of the next: 500ms, 10s, 1min.
        suspect_after: How often a batch must fail until rows that are to blame are looked for, and set aside.
        set_aside_at_most: How many rows of one batch can be set aside.
        set_aside_to: A Delta table, or messages to publish, for those rows; the folder has them, too.

    Raises:
        BadPipeline: it cannot be like that.
    """

    def declare(transform: Transform) -> Pipeline:
        return Pipeline(
            name=name,
            source=source,
            sink=sink,
            transform=transform,
            trigger=trigger,
            suspect_after=suspect_after,
            set_aside_at_most=set_aside_at_most,
            set_aside_to=set_aside_to,
        )

    return declare
