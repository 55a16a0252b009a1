"""Real brokers and real databases for the dead letters."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING

import pytest
import sqlalchemy as sa

from penstock.messaging.dead_letters import DeadLetterStore
from tests.messaging.brokers import mq_url, rabbitmq_url
from tests.servers import postgresql

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.servers.postgresql import PostgreSQL

__all__ = ["mq_url", "rabbitmq_url"]


@pytest.fixture(scope="session")
def postgresql_server(real_program: Callable[[str], Path]) -> Iterator[PostgreSQL]:
    """One for all tests of this process that do it no harm."""
    server = postgresql.start(real_program("postgresql"))
    yield server
    server.destroy()


@pytest.fixture
def postgresql_url(postgresql_server: PostgreSQL) -> Iterator[str]:
    """A schema of the test's own."""
    assert postgresql_server.running is not None
    schema = f"test_{uuid.uuid4().hex[:12]}"
    url = postgresql.url_of(postgresql_server.running)
    admin = sa.create_engine(url)
    with admin.begin() as connection:
        connection.execute(sa.text(f"CREATE SCHEMA {schema}"))
    yield f"{url.replace('+psycopg', '')}?options=-csearch_path%3D{schema}"
    with admin.begin() as connection:
        connection.execute(sa.text(f"DROP SCHEMA {schema} CASCADE"))
    admin.dispose()


@pytest.fixture(params=["memory", "sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where the test's database is, on each kind in turn."""
    if request.param == "memory":
        return "sqlite://"
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/test.db"
    found: str = request.getfixturevalue("postgresql_url")
    return found


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
