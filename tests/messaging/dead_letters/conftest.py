"""Real brokers and real databases for the dead letters."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from penstock.messaging.dead_letters import DeadLetterStore

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture(params=["memory", "sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where the test's database is, on each kind in turn."""
    if request.param == "memory":
        return "sqlite://"
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/test.db"
    found: str = request.getfixturevalue("postgresql_url")
    # As a person would write it: which driver is ours to know.
    return found.replace("+psycopg", "")


@pytest.fixture
def store(url: str) -> Iterator[DeadLetterStore]:
    """An empty store."""
    store = DeadLetterStore(url)
    store.create()
    yield store
    store.close()


@pytest.fixture
def memory() -> Iterator[DeadLetterStore]:
    """An empty store, where it does not matter which."""
    store = DeadLetterStore("sqlite://")
    store.create()
    yield store
    store.close()
