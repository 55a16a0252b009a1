from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest
import sqlalchemy as sa

from penstock.errors import StoreTooNew
from penstock.messaging.engine import open_engine
from penstock.messaging.layout import Layout, adding

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from sqlalchemy.engine import Engine


@pytest.fixture(params=["sqlite", "postgresql"])
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Engine]:
    """An empty database of each kind."""
    is_file = request.param == "sqlite"
    made = open_engine(f"sqlite:///{tmp_path}/x.db" if is_file else request.getfixturevalue("postgresql_url"))
    yield made
    made.dispose()


def bring(engine: Engine, *layouts: Layout) -> None:
    for layout in layouts:
        with engine.begin() as connection:
            layout.upgrade(connection)


def things(*columns: str) -> sa.MetaData:
    metadata = sa.MetaData()
    sa.Table("things", metadata, *(sa.Column(name, sa.Integer) for name in columns))
    return metadata


FIRST = Layout("things", things("a"))
TODAY = things("a", "b")
SECOND = Layout("things", TODAY, [adding(TODAY.tables["things"].c.b)])


def columns(engine: Engine) -> list[str]:
    return [column["name"] for column in sa.inspect(engine).get_columns("things")]


def test_steps_are_gone_once_each_from_version_to_version(engine: Engine) -> None:
    bring(engine, FIRST)
    assert columns(engine) == ["a"]
    for _ in range(2):
        bring(engine, SECOND)
    assert columns(engine) == ["a", "b"]


def test_a_new_database_has_todays_tables_without_a_step(engine: Engine) -> None:
    for _ in range(2):
        bring(engine, SECOND)
    assert columns(engine) == ["a", "b"]


def test_parts_have_versions_of_their_own(engine: Engine) -> None:
    other = Layout("other", sa.MetaData())
    bring(engine, SECOND, other)
    bring(engine, other)


def test_what_a_newer_penstock_wrote_is_left_alone(engine: Engine) -> None:
    bring(engine, SECOND)
    with pytest.raises(StoreTooNew, match="things has layout 2, and this Penstock knows up to 1"):
        bring(engine, FIRST)
    assert columns(engine) == ["a", "b"]


def test_two_that_start_at_once_create_it_once(engine: Engine) -> None:
    with ThreadPoolExecutor(4) as threads:
        list(threads.map(lambda _: bring(engine, FIRST), range(4)))
    assert columns(engine) == ["a"]
