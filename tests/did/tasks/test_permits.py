from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from penstock.did.database import DomainDatabase
from penstock.did.tasks import TASKS
from penstock.did.tasks.permit import Permit
from penstock.did.tasks.permits import finish, read_permit, refresh, take_permit

if TYPE_CHECKING:
    from collections.abc import Iterator

NOW = 1_000_000.0


@pytest.fixture
def databases(database_url: str) -> Iterator[list[DomainDatabase]]:
    """The same database for four instances."""
    found = [DomainDatabase(database_url) for _ in range(4)]
    found[0].create(TASKS)
    yield found
    for each in found:
        each.close()


def test_a_permit_is_taken_refreshed_and_finished(databases: list[DomainDatabase]) -> None:
    database = databases[0]
    assert database.do(read_permit, "monitor") is None
    assert database.do(take_permit, "monitor", None, "me", NOW)
    assert database.do(read_permit, "monitor") == Permit("me", "running", NOW)
    assert database.do(refresh, "monitor", "me", NOW + 1)
    assert database.do(read_permit, "monitor") == Permit("me", "running", NOW + 1)
    assert database.do(finish, "monitor", "me", NOW + 2)
    assert database.do(read_permit, "monitor") == Permit("me", "idle", NOW + 2)


def test_a_permit_that_has_changed_since_it_was_seen_is_not_taken(databases: list[DomainDatabase]) -> None:
    database = databases[0]
    database.do(take_permit, "monitor", None, "other", NOW)
    assert not database.do(take_permit, "monitor", None, "me", NOW)
    seen = database.do(read_permit, "monitor")
    database.do(refresh, "monitor", "other", NOW + 1)
    assert not database.do(take_permit, "monitor", seen, "me", NOW + 2)
    assert database.do(take_permit, "monitor", database.do(read_permit, "monitor"), "me", NOW + 2)


def test_who_has_lost_a_permit_says_nothing_in_it(databases: list[DomainDatabase]) -> None:
    database = databases[0]
    database.do(take_permit, "monitor", None, "other", NOW)
    assert not database.do(refresh, "monitor", "me", NOW + 1)
    assert not database.do(finish, "monitor", "me", NOW + 1)
    assert database.do(read_permit, "monitor") == Permit("other", "running", NOW)


@pytest.mark.parametrize("is_there", [False, True])
def test_of_several_that_take_a_permit_at_once_one_has_it(
    databases: list[DomainDatabase],
    is_there: bool,  # noqa: FBT001  with a holder before, or without
) -> None:
    with ThreadPoolExecutor(4) as threads:
        for round_ in range(5):
            task = f"task-{round_}"
            if is_there:
                databases[0].do(take_permit, task, None, "dead", NOW)
            seen = databases[0].do(read_permit, task)
            took = threads.map(
                lambda each, task=task, seen=seen: each[1].do(take_permit, task, seen, f"i{each[0]}", NOW),
                enumerate(databases),
            )
            assert sum(took) == 1
