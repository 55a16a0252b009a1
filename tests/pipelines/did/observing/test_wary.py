from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from penstock.did.anchoring import AnchorInfo
from penstock.did.cas import HashLink
from penstock.did.database import DomainDatabase
from penstock.did.domain.parts import create_tables
from penstock.did.observing import Outcome
from penstock.did.observing.tries import begin_try
from penstock.errors import BadHashLink, NotAcceptable, StoreError, Unavailable
from penstock.pipelines.did.observing.apart import Died
from penstock.pipelines.did.observing.wary import DEADLY, SUSPECTED, WaryObserver

if TYPE_CHECKING:
    from collections.abc import Iterator

LINK = HashLink.of(b"an anchor")
INFO = AnchorInfo(hash_link=str(LINK))


@pytest.fixture
def database() -> Iterator[DomainDatabase]:
    made = DomainDatabase("sqlite://")
    create_tables(made)
    yield made
    made.close()


class Doing:
    """Observes here, or apart, or dies of it."""

    def __init__(self, name: str, told: list[str], error: Exception | None = None) -> None:
        self._name = name
        self._told = told
        self.error = error

    def observe(self, info: AnchorInfo) -> Outcome:
        self._told.append(self._name)
        if self.error is not None:
            raise self.error
        return Outcome(failed=info.hash_link, error=Unavailable("its files are away"))


def wary(database: DomainDatabase, error: Exception | None = None) -> tuple[WaryObserver, list[str]]:
    told: list[str] = []
    here: Any = Doing("here", told)
    return WaryObserver(here, database, apart=Doing("apart", told, error).observe), told


def die(database: DomainDatabase, times: int) -> None:
    for _ in range(times):
        database.do(begin_try, LINK.hash)


@pytest.mark.parametrize(("deaths", "where"), [(0, "here"), (SUSPECTED - 1, "here"), (SUSPECTED, "apart")])
def test_one_that_others_have_died_of_is_observed_apart(
    database: DomainDatabase, deaths: int, where: str
) -> None:
    die(database, deaths)
    observer, told = wary(database)
    assert observer.observe(INFO).failed == str(LINK)
    assert told == [where]
    # It has survived, and nobody suspects it any more.
    assert database.do(begin_try, LINK.hash) == 0


def test_one_that_kills_is_tried_later_and_set_aside_in_the_end(database: DomainDatabase) -> None:
    die(database, SUSPECTED)
    observer, _ = wary(database, Died("by SIGSEGV"))
    outcomes = [observer.observe(INFO) for _ in range(DEADLY - SUSPECTED)]
    errors = [outcome.error for outcome in outcomes]
    assert [type(error) for error in errors] == [Unavailable] * (DEADLY - SUSPECTED - 1) + [NotAcceptable]
    assert {outcome.failed for outcome in outcomes} == {LINK.hash}
    assert str(errors[-1]) == f"whoever observes it dies: {DEADLY} have, the last by SIGSEGV"
    # Should somebody send it again, it gets another chance.
    assert database.do(begin_try, LINK.hash) == 0


def test_what_is_no_hashlink_is_told_and_counted_nowhere(database: DomainDatabase) -> None:
    observer, told = wary(database)
    assert isinstance(observer.observe(AnchorInfo(hash_link="x")).error, BadHashLink)
    assert told == []


def test_a_database_that_is_away_is_told() -> None:
    database = DomainDatabase("sqlite://")
    observer, told = wary(database)
    assert isinstance(observer.observe(INFO).error, StoreError)
    assert told == []
    database.close()
