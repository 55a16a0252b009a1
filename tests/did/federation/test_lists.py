from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from penstock.did.federation.acceptance import Acceptance
from penstock.did.federation.lists import FOLLOW_LIST, WITNESS_LIST, acceptance_now, change_list, read_list

if TYPE_CHECKING:
    from penstock.did.database import DomainDatabase

FIRST = frozenset({"a", "b"})


def test_a_list_is_as_the_parameters_say_until_it_is_changed(kept: DomainDatabase) -> None:
    assert kept.do(read_list, FOLLOW_LIST, FIRST) == ["a", "b"]
    kept.do(change_list, FOLLOW_LIST, FIRST, add=["c"], remove=["a"])
    assert kept.do(read_list, FOLLOW_LIST, FIRST) == ["b", "c"]
    # Whatever the parameters say from then on.
    assert kept.do(read_list, FOLLOW_LIST, frozenset({"z"})) == ["b", "c"]
    kept.do(change_list, FOLLOW_LIST, frozenset({"z"}), add=["d"], remove=[])
    assert kept.do(read_list, FOLLOW_LIST, FIRST) == ["b", "c", "d"]
    assert kept.do(read_list, WITNESS_LIST, FIRST) == ["a", "b"]


@pytest.mark.parametrize(
    ("add", "remove", "left"),
    [
        (["a", "a", "c", "c"], [], ["a", "b", "c"]),
        ([], ["x", "a", "a"], ["b"]),
        (["c"], ["c"], ["a", "b"]),
        ([], ["a", "b"], []),
        ([], [], ["a", "b"]),
    ],
)
def test_adding_and_taking_away_twice_is_harmless(
    kept: DomainDatabase, add: list[str], remove: list[str], left: list[str]
) -> None:
    for _ in range(2):
        kept.do(change_list, FOLLOW_LIST, FIRST, add=add, remove=remove)
        assert kept.do(read_list, FOLLOW_LIST, FIRST) == left


def test_of_changes_at_the_same_time_none_is_lost(kept: DomainDatabase) -> None:
    def change(number: int) -> None:
        kept.do(change_list, FOLLOW_LIST, FIRST, add=[f"{number}"], remove=[])

    for first in (0, 8):
        numbers = range(first, first + 8)
        with ThreadPoolExecutor(len(numbers)) as threads:
            list(threads.map(change, numbers))
    assert set(kept.do(read_list, FOLLOW_LIST, FIRST)) == {*FIRST, *map(str, range(16))}


def test_who_is_accepted_follows_the_lists(kept_in_memory: DomainDatabase) -> None:
    first = Acceptance(followers=FIRST)
    assert kept_in_memory.do(acceptance_now, first) == first
    for name in (FOLLOW_LIST, WITNESS_LIST):
        kept_in_memory.do(change_list, name, FIRST, add=["c"], remove=["a"])
    # Where everybody is accepted, a list changes nothing.
    assert kept_in_memory.do(acceptance_now, first) == Acceptance(followers=frozenset({"b", "c"}))
