from __future__ import annotations

import json
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from penstock.errors import ReaderInUse
from penstock.pipelines.acking import Acking, done_in
from penstock.pipelines.source.door import Door

if TYPE_CHECKING:
    import pytest


def progress(*sources: tuple[str | None, str | None]) -> Any:
    told = [SimpleNamespace(endOffset=end, latestOffset=latest) for end, latest in sources]
    return SimpleNamespace(progress=SimpleNamespace(sources=told))


def test_the_end_of_a_batch_goes_through_the_planners_door() -> None:
    committed: list[int] = []
    door = Door(committed.append)

    Acking().onQueryProgress(progress(('{"position": 7}', json.dumps({"door": door.path, "position": 9}))))

    assert committed == [7]
    door.close()


def test_sources_of_others_are_none_of_its_business() -> None:
    others = [
        (None, None),
        ("5", "6"),
        ("no JSON", "{"),
        ('{"position": 1}', '{"position": 2}'),
        ('{"position": "x"}', '{"door": "/d"}'),
        ('{"position": 1}', '{"door": ""}'),
        ("[]", "[]"),
    ]
    assert list(done_in(iter(others))) == []


def test_a_planner_that_is_gone_or_refuses_fails_nothing(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO")

    def refuse(_: int) -> None:
        raise ReaderInUse("somebody else has it", holder="x", until=0.0)

    door = Door(refuse)
    Acking().onQueryProgress(progress(('{"position": 7}', json.dumps({"door": door.path}))))
    assert "position 7 is committed later: somebody else has it" in caplog.text
    door.close()

    Acking().onQueryProgress(progress(('{"position": 8}', json.dumps({"door": door.path}))))
    assert "position 8 is committed later: nobody at" in caplog.text
