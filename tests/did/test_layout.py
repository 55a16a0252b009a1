from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest
import sqlalchemy as sa

from penstock.did.database import DomainDatabase
from penstock.did.layout import Layout
from penstock.errors import StoreTooNew

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection


def things(*columns: str) -> sa.MetaData:
    metadata = sa.MetaData()
    sa.Table("things", metadata, *(sa.Column(name, sa.Integer) for name in columns))
    return metadata


def second(connection: Connection) -> None:
    connection.execute(sa.text("ALTER TABLE things ADD COLUMN b INTEGER"))


FIRST = Layout("things", things("a"))
SECOND = Layout("things", things("a", "b"), [second])


def columns(database: DomainDatabase) -> list[str]:
    return [column["name"] for column in sa.inspect(database.engine).get_columns("things")]


def test_steps_are_gone_once_each_from_version_to_version(database: DomainDatabase) -> None:
    database.create(FIRST)
    assert columns(database) == ["a"]
    for _ in range(2):
        database.create(SECOND)
    assert columns(database) == ["a", "b"]


def test_a_new_database_has_todays_tables_without_a_step(database: DomainDatabase) -> None:
    for _ in range(2):
        database.create(SECOND)
    assert columns(database) == ["a", "b"]


def test_parts_have_versions_of_their_own(memory: DomainDatabase) -> None:
    other = Layout("other", sa.MetaData())
    memory.create(SECOND, other)
    memory.create(other)


def test_what_a_newer_penstock_wrote_is_left_alone(database: DomainDatabase) -> None:
    database.create(SECOND)
    with pytest.raises(StoreTooNew, match="things has layout 2, and this Penstock knows up to 1"):
        database.create(FIRST)
    assert columns(database) == ["a", "b"]


def test_two_that_start_at_once_create_it_once(database_url: str) -> None:
    databases = [DomainDatabase(database_url) for _ in range(4)]
    with ThreadPoolExecutor(4) as threads:
        list(threads.map(lambda each: each.create(FIRST), databases))
    assert columns(databases[0]) == ["a"]
    for database in databases:
        database.close()
