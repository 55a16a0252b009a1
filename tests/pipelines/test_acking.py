from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from penstock.errors import ReaderInUse
from penstock.pipelines.acking import acknowledge, done_in
from penstock.pipelines.source.door import Door

if TYPE_CHECKING:
    import pytest


def progress(end: Any, reported: Any) -> str:
    return json.dumps({"sources": [{"endOffset": end, "latestOffset": reported}]})


def test_the_end_of_a_batch_goes_through_the_planners_door() -> None:
    committed: list[int] = []
    door = Door(committed.append)

    acknowledge(progress({"position": 7}, {"door": door.path, "position": 9}))

    assert committed == [7]
    door.close()


def test_sources_of_others_are_none_of_its_business() -> None:
    others: list[tuple[Any, Any]] = [
        (None, None),
        (5, 6),
        ("text", "text"),
        ({"position": 1}, {"position": 2}),
        ({"position": "x"}, {"door": "/d"}),
        ({"position": 1}, {"door": ""}),
        ([], []),
    ]
    assert list(done_in({"endOffset": end, "latestOffset": reported} for end, reported in others)) == []
    assert list(done_in([{}])) == []


def test_a_planner_that_is_gone_or_refuses_fails_nothing(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO")

    def refuse(_: int) -> None:
        raise ReaderInUse("somebody else has it", holder="x", until=0.0)

    door = Door(refuse)
    acknowledge(progress({"position": 7}, {"door": door.path}))
    assert "position 7 is committed later: somebody else has it" in caplog.text
    door.close()

    acknowledge(progress({"position": 8}, {"door": door.path}))
    assert "position 8 is committed later: nobody at" in caplog.text
