"""A log that is tidied by itself, with a stand-in for the log."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from penstock.clock import VirtualClock
from penstock.errors import TableError
from penstock.pipelines.event_log.upkeep import Upkeep

if TYPE_CHECKING:
    import pytest


class Log:
    """Cannot be tidied the first time."""

    path = "/data/log"

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []
        self.is_tidy = threading.Event()

    def tend(self, **how: Any) -> dict[str, str]:
        self.asked.append(how)
        if len(self.asked) == 1:
            raise TableError("not now")
        self.is_tidy.set()
        return {"events": "3 files became 1"}


def upkeep(log: Any, every: float) -> Upkeep:
    return Upkeep(log, every=every, keep=86400.0, keep_files=60.0, clock=VirtualClock(7.0))


def test_a_log_is_tidied_every_so_often_whatever_happens(caplog: pytest.LogCaptureFixture) -> None:
    log = Log()
    with upkeep(log, 0.01) as ours:
        assert log.is_tidy.wait(60)
        assert repr(ours) == "<Upkeep of /data/log, every 0.01 s>"
    assert log.asked[0] == {"now": 7.0, "keep": 86400.0, "keep_files": 60.0}
    assert "the event log is tidied later" in caplog.text
    assert not ours._thread.is_alive()


def test_it_need_not_be() -> None:
    log = Log()
    with upkeep(log, 0.0):
        pass
    assert log.asked == []
