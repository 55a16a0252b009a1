"""The database of schedules, in each of the two kinds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from penstock.workers.schedules import Schedules

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'schedules.db'}"
    found: str = request.getfixturevalue("postgresql_url")
    return found


@pytest.fixture
def store(url: str) -> Iterator[Schedules]:
    made = Schedules(url)
    made.create()
    yield made
    made.close()
