"""Which events are meant."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from penstock.errors import BadExpression, PipelineError
from penstock.pipelines.event_log.events import events
from penstock.pipelines.event_log.views import shown
from penstock.pipelines.replay.ordering import counted, marked, pages, rest_of
from penstock.pipelines.replay.progress import Progress
from penstock.pipelines.replay.selection import Selection, chosen
from tests.pipelines.event_log.rows import MESSAGES, NOON, frame, message

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def test_the_same_selection_is_the_same_replay() -> None:
    name = Selection(since=1.0, types=("a", "b")).name
    assert name == Selection(types=("b", "a", "a"), since=1.0).name
    others = {
        Selection().name,
        Selection(queue="q").name,
        Selection(where="true").name,
        Selection(until=1.0).name,
    }
    assert len({name, *others}) == 5
    assert str(Selection()) == "all events"
    assert str(Selection(since=1.0, where="x")) == "since 1.0, where x"


@pytest.mark.parametrize(
    ("where", "told"),
    [
        ("totl > 5", r"--where 'totl > 5' cannot be: A column.*`totl` cannot be resolved"),
        ("type =", r"--where 'type =' cannot be: Syntax error"),
        ("routing_key", "is string, and not true or false"),
        ("java_method('java.lang.System', 'exit', 1) = ''", "calls no Java"),
    ],
)
def test_an_expression_that_cannot_be_is_one_line(spark: SparkSession, where: str, told: str) -> None:
    found = shown(events(frame(spark, [message(1)], MESSAGES)))
    with pytest.raises(BadExpression, match=told) as caught:
        chosen(found, Selection(where=where))
    assert "\n" not in str(caught.value)


def test_events_are_chosen_in_order_and_taken_up_where_one_was(spark: SparkSession) -> None:
    # Given events, two of them twins without an id
    twin = message(5, message_id=None)
    rows = [message(9, "Other"), twin, twin, *(message(number) for number in (3, 1, 2, 0))]
    found = shown(events(frame(spark, rows, MESSAGES))).cache()
    start = NOON.timestamp() + 60
    wanted = chosen(
        found,
        Selection(
            since=start,
            until=start + 420,
            types=("OrderPlaced",),
            where="get_json_object(text, '$.total') <> '2'",
        ),
    )
    assert counted(wanted) == [("2026-01-31", "OrderPlaced", 4)]
    # When they are paged
    begun = Progress(replay="r")
    first, second = pages(marked(wanted), begun, size=3)
    assert [event["message_id"] for _, event in (*first, *second)] == ["m1", "m3", None, None]
    # Then after a crash between the twins, the second is what is left
    done = begun.after([mark for mark, _ in first])
    [left] = pages(rest_of(marked(wanted), done), done, size=3)
    assert left == second
    done = done.after([mark for mark, _ in left])
    assert list(pages(rest_of(marked(wanted), done), done)) == []
    # And a row that an expression does not stand is told in one line
    with pytest.raises(PipelineError, match=r"the events could not be read: .*cannot be cast"):
        list(pages(marked(chosen(found, Selection(where="CAST(text AS INT) > 1"))), begun))
    found.unpersist()
