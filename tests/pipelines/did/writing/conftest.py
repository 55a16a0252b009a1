"""A workshop on a database in a file, as executors need it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from penstock.did.database import DomainDatabase
from tests.pipelines.did.writing.workshop import Workshop, prepare

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def records(tmp_path: Path) -> Iterator[DomainDatabase]:
    database = DomainDatabase(f"sqlite:///{tmp_path}/domain.db")
    prepare(database)
    yield database
    database.close()


@pytest.fixture
def shop(records: DomainDatabase, tmp_path: Path) -> Workshop:
    return Workshop(records, tmp_path)
