"""Databases for the tests of reconciling."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.pipelines.reconcile.shop import Shop

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


@pytest.fixture
def new_shop(tmp_path: Path) -> Iterator[Callable[[str], Shop]]:
    """Makes databases, by URL or as files of SQLite's by name."""
    made: list[Shop] = []

    def make(where: str) -> Shop:
        made.append(Shop(where if ":" in where else f"sqlite:///{tmp_path}/{where}.db"))
        return made[-1]

    yield make
    for shop in made:
        shop.engine.dispose()


@pytest.fixture(params=["sqlite", "postgresql"])
def shop(request: pytest.FixtureRequest, new_shop: Callable[[str], Shop]) -> Shop:
    """The shared table, in each kind of database in turn."""
    return new_shop("shared" if request.param == "sqlite" else request.getfixturevalue("postgresql_url"))
