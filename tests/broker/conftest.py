"""A broker that can be killed, on each kind of store."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from penstock.store import MemoryStore, SqliteStore
from tests.broker.support import Bench

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture(autouse=True)
def _restless(monkeypatch: pytest.MonkeyPatch) -> None:
    """The store is tidied without a rest."""
    monkeypatch.setattr("penstock.broker.writer.AT_WORK", 0.0)


@pytest.fixture(params=[MemoryStore, SqliteStore])
def bench(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Bench]:
    made = Bench(SqliteStore(tmp_path / "store") if request.param is SqliteStore else MemoryStore())
    yield made
    made.leave()
