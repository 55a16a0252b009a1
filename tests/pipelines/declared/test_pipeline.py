from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from penstock.errors import BadPipeline, PenstockError
from penstock.pipelines.declared import Parquet, Pipeline, Publish, Queue, Rate, pipeline
from penstock.pipelines.options import SinkOptions

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def declared(name: str = "threads", **how: Any) -> Pipeline:
    @pipeline(name, source=Rate(), sink=Parquet("there"), **how)
    def transform(rows: DataFrame) -> DataFrame:
        return rows.select("value")

    return transform


def test_a_declared_pipeline_is_a_value_that_shows_what_it_is() -> None:
    assert repr(declared()) == "<Pipeline threads: rate of 10 → parquet there>"
    assert declared().transform.__module__ == __name__


@pytest.mark.parametrize("name", ["", "a/b", ".hidden", "a b", "..", "ö", "x" * 101])
def test_a_name_must_do_for_a_folder(name: str) -> None:
    with pytest.raises(BadPipeline, match="is no name for a pipeline"):
        declared(name)


@pytest.mark.parametrize(
    ("trigger", "every_ms", "shown"),
    [("0s", 0, "at once"), ("500ms", 500, "every 500ms"), ("1min", 60_000, "every 1min")],
)
def test_a_trigger_is_a_duration(trigger: str, every_ms: int, shown: str) -> None:
    made = declared(trigger=trigger)
    assert (made.every_ms, made.shown_trigger) == (every_ms, shown)


@pytest.mark.parametrize(
    ("how", "told"),
    [
        ({"trigger": "often"}, "pipeline threads: the trigger is .*often"),
        ({"suspect_after": 0}, "pipeline threads: suspect_after must be at least 1"),
        ({"set_aside_at_most": 0}, "pipeline threads: set_aside_at_most must be at least 1"),
    ],
)
def test_what_cannot_be_is_refused_where_it_is_declared(how: dict[str, Any], told: str) -> None:
    with pytest.raises(BadPipeline, match=told):
        declared(**how)


def test_executors_need_the_modules_of_the_transform_and_of_the_types() -> None:
    typed = Pipeline(
        name="threads",
        source=Queue("threads", SinkOptions),
        sink=Publish("there", type=PenstockError),
        transform=declared().transform,
    )
    assert typed.modules == {__name__, SinkOptions.__module__, PenstockError.__module__}


def test_without_a_transform_rows_stay_as_they_are() -> None:
    rows: Any = object()
    assert Pipeline(name="plain", source=Rate(), sink=Parquet("there"))(rows) is rows
