from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from penstock.did.domain.parts import create_tables, open_database
from penstock.did.observing.tries import begin_try
from penstock.pipelines.did.apart import Died
from penstock.pipelines.did.wary import DEADLY, SUSPECTED
from penstock.pipelines.did.writing import deadly
from penstock.pipelines.did.writing.deadly import first_deadly, write_warily
from tests.did.operation_queue.support import cut_all
from tests.pipelines.did.writing.operations import create
from tests.pipelines.did.writing.workshop import places_at

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from penstock.did.domain import Places

BATCH = [create(f"life{number}") for number in range(6)]


class Cut:
    """A cut of six operations in a domain's database."""

    def __init__(self, places: Places) -> None:
        self.database = open_database(places)
        create_tables(self.database)
        self.places = places.to_json()
        self.number = cut_all(self.database, "me", *BATCH).id

    def die(self, times: int) -> None:
        for _ in range(times):
            self.database.do(begin_try, f"cut {self.number}")

    def write(self) -> Any:
        return write_warily(self.places, self.number)


@pytest.fixture
def cut(tmp_path: Path) -> Iterator[Cut]:
    made = Cut(places_at(tmp_path))
    yield made
    made.database.close()


class Mortal:
    """In place of processes: they die of what is deadly, and are counted."""

    def __init__(self, *killers: str, only: int = 10**9) -> None:
        self.killers = killers
        self.deaths = 0
        self._only = only

    def apart(self, work: Any, places: str) -> Any:
        def do(task: tuple[int, Any]) -> Any:
            looked_at = {each.id for each in BATCH} - set(task[1]) if work is deadly.write else set(task[1])
            if looked_at.intersection(self.killers) and self.deaths < self._only:
                self.deaths += 1
                raise Died("by SIGSEGV")
            return work(places, task)

        return do


def test_nobody_is_suspected_while_nobody_has_died(cut: Cut, monkeypatch: pytest.MonkeyPatch) -> None:
    mortal = Mortal(BATCH[0].id)
    monkeypatch.setattr(deadly, "Apart", mortal.apart)
    cut.die(SUSPECTED - 1)
    assert (cut.write().count, mortal.deaths) == (6, 0)


@pytest.mark.parametrize("killers", [[0], [5], [1, 4], range(6)])
def test_those_that_kill_are_refused_and_the_others_are_written(
    cut: Cut, monkeypatch: pytest.MonkeyPatch, killers: Sequence[int]
) -> None:
    wanted = {BATCH[each].id for each in killers}
    mortal = Mortal(*wanted)
    monkeypatch.setattr(deadly, "Apart", mortal.apart)
    cut.die(SUSPECTED)
    outcome = cut.write()
    assert (outcome.count, outcome.failure) == (6 - len(wanted), None)
    assert set(outcome.refused) == wanted
    assert set(outcome.refused.values()) == {f"whoever looks at it dies: {DEADLY} have, the last by SIGSEGV"}
    # The cut is written, and nobody has died of it who is not known.
    assert cut.database.do(begin_try, f"cut {cut.number}") == 0


def test_one_that_has_killed_by_chance_is_not_to_blame(cut: Cut, monkeypatch: pytest.MonkeyPatch) -> None:
    mortal = Mortal(BATCH[3].id, only=5)
    monkeypatch.setattr(deadly, "Apart", mortal.apart)
    cut.die(SUSPECTED)
    first = cut.write()
    assert "whoever is at it dies" in first.failure
    assert (cut.write().count, mortal.deaths) == (6, 5)


def test_where_everybody_dies_nobody_is_to_blame(cut: Cut, monkeypatch: pytest.MonkeyPatch) -> None:
    def killed(_work: Any, _places: str) -> Any:
        def do(_task: Any) -> Any:
            raise Died("by SIGKILL")

        return do

    monkeypatch.setattr(deadly, "Apart", killed)
    cut.die(SUSPECTED)
    outcome = cut.write()
    assert outcome.failure == f"whoever is at it dies: {SUSPECTED + 1} have, the last by SIGKILL"
    assert outcome.refused == {}


@pytest.mark.parametrize(
    ("error", "is_passing"), [(OSError("no process now"), True), (ValueError("nobody knows"), False)]
)
def test_what_fails_apart_takes_no_other_cut_along(
    cut: Cut,
    monkeypatch: pytest.MonkeyPatch,
    error: Exception,
    is_passing: bool,  # noqa: FBT001  a column of the table
) -> None:
    def failing(_work: Any, _places: str) -> Any:
        def do(_task: Any) -> Any:
            raise error

        return do

    monkeypatch.setattr(deadly, "Apart", failing)
    cut.die(SUSPECTED)
    outcome = cut.write()
    assert str(error) in outcome.failure
    assert outcome.is_passing is is_passing


def test_a_process_apart_writes_as_this_one_does(cut: Cut) -> None:
    cut.die(SUSPECTED)
    apart = cut.write()
    assert (apart.count, apart) == (6, cut.write())


def test_the_first_deadly_one_is_found_in_few_looks() -> None:
    ids = [str(number) for number in range(10_000)]
    looks = []

    def survives(some: Sequence[str]) -> bool:
        looks.append(len(some))
        return "7777" not in some

    assert first_deadly(ids, survives) == "7777"
    assert len(looks) < 30
    assert first_deadly(ids[:7777], survives) is None
    assert first_deadly([], survives) is None
