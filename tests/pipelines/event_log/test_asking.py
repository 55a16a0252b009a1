"""Questions that are none are refused unseen; others are asked in test_event_log_commands.py."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from penstock.errors import BadExpression
from penstock.pipelines.event_log.asking import ask
from penstock.pipelines.event_log.log import EventLog

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("query", ["DROP VIEW events", "INSERT INTO events VALUES (1)", "", "SET x = 1"])
def test_the_log_is_only_asked(tmp_path: Path, query: str) -> None:
    nobody: Any = None
    with pytest.raises(BadExpression, match="the log is only asked: a query begins with SELECT"):
        ask(nobody, EventLog(str(tmp_path)), query, 1)
