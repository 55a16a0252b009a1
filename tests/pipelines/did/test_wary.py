from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from penstock.did.database import DomainDatabase
from penstock.did.domain.parts import create_tables
from penstock.did.observing.tries import begin_try
from penstock.errors import StoreError
from penstock.pipelines.did.apart import Died
from penstock.pipelines.did.wary import DEADLY, SUSPECTED, Deadly, Wary

if TYPE_CHECKING:
    from collections.abc import Iterator

NAME = "an anchor"


@pytest.fixture
def database() -> Iterator[DomainDatabase]:
    made = DomainDatabase("sqlite://")
    create_tables(made)
    yield made
    made.close()


class Doing:
    """Does it here, or apart, or dies of it."""

    def __init__(self, error: Exception | None = None) -> None:
        self.told: list[str] = []
        self._error = error

    def here(self, task: str) -> str:
        self.told.append("here")
        return task.upper()

    def apart(self, task: str) -> str:
        self.told.append("apart")
        if self._error is not None:
            raise self._error
        return task.upper()

    def wary(self, database: DomainDatabase, *, is_struck: bool = False) -> Wary[str, str]:
        return Wary(database, here=self.here, apart=self.apart, is_struck=lambda _: is_struck)


def die(database: DomainDatabase, times: int) -> None:
    for _ in range(times):
        database.do(begin_try, NAME)


@pytest.mark.parametrize(("deaths", "where"), [(0, "here"), (SUSPECTED - 1, "here"), (SUSPECTED, "apart")])
def test_what_others_have_died_of_is_done_apart(database: DomainDatabase, deaths: int, where: str) -> None:
    die(database, deaths)
    doing = Doing()
    assert doing.wary(database).do(NAME, "task") == "TASK"
    assert doing.told == [where]
    # It has survived, and nobody suspects it any more.
    assert database.do(begin_try, NAME) == 0


def test_what_kills_is_tried_later_and_certain_in_the_end(database: DomainDatabase) -> None:
    die(database, SUSPECTED)
    wary = Doing(Died("by SIGSEGV")).wary(database)
    certain = []
    for _ in range(DEADLY - SUSPECTED):
        with pytest.raises(Deadly) as caught:
            wary.do(NAME, "task")
        certain.append(caught.value.is_certain)
    assert certain == [False] * (DEADLY - SUSPECTED - 1) + [True]
    assert str(caught.value) == f"whoever is at it dies: {DEADLY} have, the last by SIGSEGV"
    # Should somebody send it again, it gets another chance.
    assert database.do(begin_try, NAME) == 0


def test_what_is_struck_out_as_it_is_stored_is_left_to_that(database: DomainDatabase) -> None:
    Doing().wary(database, is_struck=True).do(NAME, "task")
    assert database.do(begin_try, NAME) == 1


def test_while_nobody_knows_who_has_died_nothing_is_done() -> None:
    database = DomainDatabase("sqlite://")
    doing = Doing()
    with pytest.raises(StoreError):
        doing.wary(database).do(NAME, "task")
    assert doing.told == []
    database.close()
