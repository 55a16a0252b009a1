"""Where a replay keeps its progress; the commands run one, in test_event_log_commands.py."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.pipelines.event_log import EventLog
from penstock.pipelines.replay import Replay, Selection, replaying

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


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
