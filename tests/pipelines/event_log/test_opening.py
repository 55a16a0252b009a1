"""A log that is not there is told before Spark is waited for; with one, the commands open it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from penstock.errors import UnknownTable
from penstock.pipelines import session
from penstock.pipelines.event_log.opening import opened_log

if TYPE_CHECKING:
    from pathlib import Path


def test_a_log_that_is_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(session, "open_session")
    with pytest.raises(UnknownTable, match="there is no event log"), opened_log(str(tmp_path), "local[*]"):
        pass
