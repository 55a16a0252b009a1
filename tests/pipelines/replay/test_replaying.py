"""Where a replay keeps its progress; the commands run one, in test_event_log_commands.py."""

from __future__ import annotations

import asyncio
from collections import Counter
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from penstock.clock import SystemClock
from penstock.pipelines.event_log import EventLog
from penstock.pipelines.replay import Replay, Selection, ordering, replaying
from penstock.pipelines.replay.ordering import pages
from tests.pipelines.event_log.rows import MESSAGES, NOON, frame, message

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import pytest
    from pyspark.sql import SparkSession

    from penstock.client import Outgoing


def test_progress_is_kept_beside_the_log_or_where_one_works(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(replaying, "read_events", lambda *_: None)
    monkeypatch.setattr(replaying, "chosen", lambda *_: None)
    nobody: Any = None
    for log, folder in ((str(tmp_path / "log"), "log/replays"), ("s3://b/log", "penstock-replays")):
        replay = Replay(nobody, EventLog(log), Selection())
        replay._file.write(replay.progress)
        assert len(list((tmp_path / folder).iterdir())) == 1
        assert repr(replay) == "<Replay of all events, 0 published>"
        replay.forget()
        assert list((tmp_path / folder).iterdir()) == []


class Killed(BaseException):
    """The end of the process, as far as a replay can tell."""


class Broker:
    """Takes two pages in each life of the process that replays; after the second nobody hears its answer."""

    def __init__(self) -> None:
        self.clock = SystemClock()
        self.pages: list[list[tuple[str | None, bytes]]] = []

    async def publish_many(self, messages: Sequence[Outgoing]) -> list[None]:
        self.pages.append([(each.properties.as_dict().get("message_id"), each.body) for each in messages])
        if len(self.pages) % 2 == 0:
            raise Killed
        return [None] * len(messages)


def test_a_replay_that_is_killed_again_and_again_leaves_nothing_out(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Given events of a few instants, some of them twins without an id, and more than one of Spark's pages
    monkeypatch.setattr(ordering, "PAGE", 7)
    monkeypatch.setattr(replaying, "pages", partial(pages, size=4))
    log = EventLog(str(tmp_path / "log"))
    rows = [message(number, timestamp=NOON.replace(minute=number % 3)) for number in range(20)]
    twins = [message(99, message_id=None, timestamp=NOON.replace(minute=1)) for _ in range(6)]
    log.add(frame(spark, rows + twins, MESSAGES))
    # When its process is killed whenever a second page has left, and it is given again
    broker: Any = Broker()
    lives = 0
    while True:
        lives += 1
        try:
            done = asyncio.run(Replay(spark, log, Selection()).run(broker))
        except Killed:
            continue
        break
    # Then all are published: what is twice is what was in flight when it was killed, under the same id
    assert (done.published, lives) == (26, 7)
    heard = [each for number, page in enumerate(broker.pages) if number % 2 == 0 for each in page]
    assert Counter(heard) == Counter((row["message_id"], row["body"]) for row in rows + twins)
    again = list(pairwise(broker.pages))[1::2]
    assert all(before == after for before, after in again)
