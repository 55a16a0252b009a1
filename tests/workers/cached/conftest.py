"""Shelves of each kind, for the suite that all of them pass."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from penstock.workers.cached import DatabaseShelf, MemoryShelf

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from penstock.workers.cached import Shelf


@pytest.fixture(params=["memory", "sqlite", "postgresql"])
def shelf(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Shelf]:
    if request.param == "memory":
        yield MemoryShelf()
        return
    is_file = request.param == "sqlite"
    url = f"sqlite:///{tmp_path / 'cache.db'}" if is_file else request.getfixturevalue("postgresql_url")
    made = DatabaseShelf(url)
    yield made
    made.close()


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Callable[[], DatabaseShelf]]:
    """A shelf that all share, as each process opens it."""
    opened: list[DatabaseShelf] = []

    def shelf() -> DatabaseShelf:
        opened.append(DatabaseShelf(f"sqlite:///{tmp_path / 'cache.db'}"))
        return opened[-1]

    yield shelf
    for each in opened:
        each.close()
