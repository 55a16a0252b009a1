"""Databases for the tests of outbox and inbox: SQLite, and a real PostgreSQL with a schema for each test."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import sqlalchemy as sa
from sqlalchemy.ext.asyncio import create_async_engine

from penstock.clock import VirtualClock
from penstock.outbox import Outbox
from tests.outbox.recording import RecordingAlerts, RecordingBroker

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from sqlalchemy.engine import Engine
    from sqlalchemy.ext.asyncio import AsyncEngine


#: How the same database is reached through asyncio.
ASYNC = {"sqlite": "sqlite+aiosqlite", "postgresql+psycopg": "postgresql+psycopg_async"}


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where the test's database is, on each kind in turn."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/test.db"
    found: str = request.getfixturevalue("postgresql_url")
    return found


@pytest.fixture
def engine(url: str) -> Iterator[Engine]:
    engine = sa.create_engine(url)
    yield engine
    engine.dispose()


@pytest.fixture
def postgresql_engine(postgresql_url: str) -> Iterator[Engine]:
    engine = sa.create_engine(postgresql_url)
    yield engine
    engine.dispose()


@pytest.fixture
def async_engine(url: str) -> AsyncEngine:
    """The same database; whoever uses it disposes of it on the loop that it was used on."""
    kind, rest = url.split(":", 1)
    return create_async_engine(f"{ASYNC[kind]}:{rest}")


@pytest.fixture
def clock() -> VirtualClock:
    return VirtualClock(1_000_000.0)


@pytest.fixture
def outbox(engine: Engine, clock: VirtualClock) -> Outbox:
    outbox = Outbox(clock=clock)
    outbox.metadata.create_all(engine)
    return outbox


@pytest.fixture
def broker(clock: VirtualClock) -> RecordingBroker:
    return RecordingBroker(clock)


@pytest.fixture
def alerts() -> RecordingAlerts:
    return RecordingAlerts()
