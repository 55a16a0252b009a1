from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from penstock.errors import BadSetting, StoreError
from penstock.messaging.engine import open_engine
from penstock.workers.cached import DatabaseShelf
from penstock.workers.cached.shelf import Claim, Entry

if TYPE_CHECKING:
    from pathlib import Path

SOL = Entry("starmap", "0:0:0")
PROCESSES = 8


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'cache.db'}"
    found: str = request.getfixturevalue("postgresql_url")
    return found


def test_of_many_who_ask_at_the_same_moment_one_has_the_claim(url: str) -> None:
    shelves = [DatabaseShelf(url) for _ in range(PROCESSES)]
    with ThreadPoolExecutor(PROCESSES) as threads:
        for number in range(10):
            entry = Entry("starmap", str(number))
            found = list(threads.map(lambda shelf: shelf.claim(entry, now=0.0, until=10.0), shelves))  # noqa: B023  done within the turn
            claims = [each for each in found if isinstance(each, Claim)]
            assert len({claim.token for claim in claims}) == 1
            assert sum(claim.is_own for claim in claims) == 1
    for shelf in shelves:
        shelf.close()


def test_an_engine_of_the_applications_own_stays_open(tmp_path: Path) -> None:
    engine = open_engine(f"sqlite:///{tmp_path / 'game.db'}")
    shelf = DatabaseShelf(engine)
    shelf.forget(SOL)
    shelf.close()
    assert "game.db" in repr(shelf)
    with engine.begin() as connection:
        assert connection.exec_driver_sql("SELECT count(*) FROM penstock_cache").scalar() == 0
    engine.dispose()


def test_a_database_that_cannot_be_used_is_told(tmp_path: Path) -> None:
    with pytest.raises(BadSetting, match="cached values are kept in SQLite or PostgreSQL"):
        DatabaseShelf("mysql://here")
    shelf = DatabaseShelf(f"sqlite:///{tmp_path / 'nowhere' / 'cache.db'}")
    with pytest.raises(StoreError, match="the cached values cannot be read or written"):
        shelf.forget(SOL)
    shelf.close()


def test_of_a_great_many_only_the_newest_are_kept_when_the_room_was_made_smaller(postgresql_url: str) -> None:
    shelf, entry = DatabaseShelf(postgresql_url), Entry("levels", "new")
    claim = shelf.claim(entry, now=1.0, until=9.0)
    assert isinstance(claim, Claim)
    # More than a statement of PostgreSQL's has room for.
    many = (
        "INSERT INTO penstock_cache (cache, key, token, until, value, size, kept_at)"
        " SELECT 'levels', number, 't', 1e9, 'x', 1, number FROM generate_series(1, 70000) number"
    )
    with shelf._engine.begin() as connection:
        connection.exec_driver_sql(many)
    assert shelf.keep(entry, claim.token, b"1", now=1e6, expires_at=1e9, room=3)
    with shelf._engine.begin() as connection:
        left = connection.exec_driver_sql("SELECT key FROM penstock_cache ORDER BY kept_at").scalars().all()
    assert left == ["69999", "70000", "new"]
    shelf.close()
