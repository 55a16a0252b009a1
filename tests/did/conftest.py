"""Databases for a domain's tests: SQLite in memory and in a file, and a real PostgreSQL."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from penstock.clock import VirtualClock
from penstock.did.database import DomainDatabase

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where the test's database is, on each kind in turn."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/domain.db"
    found: str = request.getfixturevalue("postgresql_url")
    return found


@pytest.fixture
def database(database_url: str) -> Iterator[DomainDatabase]:
    """An empty database, on each kind in turn."""
    database = DomainDatabase(database_url)
    yield database
    database.close()


@pytest.fixture
def memory() -> Iterator[DomainDatabase]:
    """An empty database, where it does not matter which."""
    database = DomainDatabase("sqlite://")
    yield database
    database.close()


@pytest.fixture
def clock() -> VirtualClock:
    return VirtualClock(1_000_000.0)
