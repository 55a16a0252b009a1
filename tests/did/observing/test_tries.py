from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from penstock.did.domain.parts import create_tables
from penstock.did.observing.tries import begin_try, end_tries

if TYPE_CHECKING:
    from penstock.did.database import DomainDatabase


@pytest.fixture
def made(database: DomainDatabase) -> DomainDatabase:
    create_tables(database)
    return database


def test_who_begins_is_told_how_many_have_died(made: DomainDatabase) -> None:
    assert [made.do(begin_try, "a") for _ in range(3)] == [0, 1, 2]
    assert made.do(begin_try, "b") == 0


def test_who_lives_strikes_all_out(made: DomainDatabase) -> None:
    for name in ("a", "a", "b"):
        made.do(begin_try, name)
    made.do(end_tries, "a")
    assert [made.do(begin_try, name) for name in ("a", "b")] == [0, 1]
