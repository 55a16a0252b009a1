from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.did.operation_queue.cutter import (
    CutRules,
    Plan,
    Reason,
    due_at,
    plan,
    rules_by,
)
from penstock.did.operation_queue.pending import Entry
from penstock.sidetree.protocol import ORB, Protocol, Protocols

if TYPE_CHECKING:
    from collections.abc import Iterator

RULES = CutRules(max_operation_count=4, timeout=60.0)


def entry(name: str, *, version: int = 0, weight: int = 100, added_at: float = 0.0) -> Entry:
    """`a2` is the second operation of the DID a."""
    return Entry(
        id=name,
        suffix=name[0],
        type="update",
        version=version,
        weights=(weight, 0, weight // 2, 0, 0),
        has_error=False,
        added_at=added_at,
    )


def limited(*limits: int) -> CutRules:
    """Rules by which the first files may weigh so much."""
    return CutRules(limits_of=lambda _version: (*limits, *[10**9] * (5 - len(limits))))


def cut(
    *names: str, now: float = 0.0, force: bool = False, rules: CutRules = RULES
) -> tuple[str, str] | None:
    found = plan([entry(name) for name in names], rules, now, force=force)
    return None if found is None else ("".join(each.id for each in found.entries), found.reason.name)


@pytest.mark.parametrize(
    ("pending", "now", "force", "expected"),
    [
        ("", 1000, True, None),
        ("abc", 59.9, False, None),
        ("abc", 60, False, ("abc", "TIMEOUT")),
        ("abc", 0, True, ("abc", "FORCED")),
        ("abcd", 0, False, ("abcd", "FULL")),
        ("abcde", 0, False, ("abcd", "FULL")),
        # A second operation of a DID does not fill the batch: it waits for the next round.
        ("abca", 0, False, None),
        ("abcad", 0, False, ("abcd", "FULL")),
        ("aaaaa", 60, False, ("a", "TIMEOUT")),
    ],
)
def test_when_and_what_to_cut(pending: str, now: float, force: bool, expected: object) -> None:  # noqa: FBT001  a column of the table
    assert cut(*pending, now=now, force=force) == expected


def test_what_was_cut_is_the_dids_first_operation_and_the_second_is_the_next_rounds() -> None:
    assert cut("a1", "b1", "a2", "c1", "a3", "b2", force=True) == ("a1b1c1", "FORCED")
    assert cut("a2", "a3", "b2", force=True) == ("a2b2", "FORCED")


@pytest.mark.parametrize("versions", [(0, 0, 100), (100, 100, 0)])
def test_a_batch_is_of_one_protocol_version(versions: tuple[int, ...]) -> None:
    # Zero is a version like any other: Go took it for none, and mixed it with the next.
    pending = [entry(name, version=version) for name, version in zip("abc", versions, strict=True)]
    found = plan(pending, RULES, 0.0)
    assert found is not None
    assert ([each.id for each in found.entries], found.reason) == (["a", "b"], Reason.VERSION)
    assert plan(pending[2:], RULES, 0.0) is None


def test_the_timeout_is_counted_from_the_oldest_operation() -> None:
    pending = [entry("a", added_at=100), entry("b", added_at=159)]
    assert due_at(pending[0], RULES) == 160
    assert plan(pending, RULES, 159.9) is None
    assert plan(pending, RULES, 160) is not None


def test_a_batch_ends_where_its_files_are_full() -> None:
    rules = limited(300, 1000)
    assert cut(*"abc", rules=rules) is None
    assert cut(*"abcd", rules=rules) == ("abc", "SIZE")
    # The limit counts for each batch anew.
    assert cut(*"d", rules=rules) is None


def test_an_operation_that_fits_nowhere_has_a_batch_of_its_own() -> None:
    rules = limited(300)
    for pending, first in (("ab", "a"), ("ba", "b")):
        entries = [entry(name, weight=5000 if name == "a" else 100) for name in pending]
        found = plan(entries, rules, 0.0)
        assert found is not None
        assert ([each.id for each in found.entries], found.reason) == ([first], Reason.SIZE)


def test_what_is_behind_a_full_batch_is_not_looked_at() -> None:
    class Endless(list[Entry]):
        def __iter__(self) -> Iterator[Entry]:
            yield from super().__iter__()
            raise AssertionError("a million may wait")

    full = [entry(name) for name in "abcd"]
    assert plan(Endless(full), RULES, 0.0) == Plan(tuple(full), Reason.FULL)


def test_files_without_limits_have_room_for_all() -> None:
    entries = [entry(name, weight=10**9) for name in "abcd"]
    assert plan(entries, RULES, 0.0) == Plan(tuple(entries), Reason.FULL)


@pytest.mark.parametrize(("limit", "taken"), [(400, "abcd"), (399, "abc"), (50, "a")])
def test_as_many_as_may_be_together_are_cut_as_far_as_they_fit(limit: int, taken: str) -> None:
    rules = replace(limited(limit), max_operation_count=4)
    assert cut(*"abcde", rules=rules) == (taken, "FULL" if len(taken) == 4 else "SIZE")


def test_as_many_as_may_be_together_are_of_one_version() -> None:
    entries = [entry(name, version=name == "d") for name in "abcd"]
    assert plan(entries, RULES, 0.0) == Plan(tuple(entries[:3]), Reason.VERSION)


def test_the_rules_are_those_of_the_protocol_that_each_operation_was_taken_by() -> None:
    late = Protocol(name="2.0", genesis_time=100, max_operation_count=7, max_core_index_file_size=250)
    rules = rules_by(Protocols([ORB, late]), timeout=5.0)
    assert (rules.max_operation_count, rules.timeout, rules.least_weight) == (7, 5.0, 250)
    early, narrow = ([entry(name, version=version) for name in "abc"] for version in (0, 100))
    assert plan(early, rules, 0.0) is None
    found = plan(narrow, rules, 0.0)
    assert found is not None
    assert ([each.id for each in found.entries], found.reason) == (["a", "b"], Reason.SIZE)
    # Whoever writes its files refuses it.
    assert plan([entry("a", version=5)], rules, 0.0, force=True) is not None


@given(
    st.lists(st.tuples(st.sampled_from("abcdef"), st.integers(0, 1), st.integers(1, 400)), max_size=40),
    st.integers(1, 5),
)
def test_round_after_round_everything_is_cut_once_and_each_dids_operations_in_order(
    drawn: list[tuple[str, int, int]], most: int
) -> None:
    pending = [
        entry(f"{did}{n}", version=version, weight=weight) for n, (did, version, weight) in enumerate(drawn)
    ]
    rules = replace(limited(500), max_operation_count=most)
    cuts = []
    left = list(pending)
    while found := plan(left, rules, 0.0, force=True):
        cuts.append(found.entries)
        left = [each for each in left if each not in found.entries]
    assert not left
    assert sorted(each.id for each in sum(cuts, ())) == sorted(each.id for each in pending)
    for entries in cuts:
        assert len(entries) <= most
        assert len({each.suffix for each in entries}) == len(entries)
        assert len({each.version for each in entries}) == 1
        assert len(entries) == 1 or sum(each.weights[0] for each in entries) <= 500
    for did in "abcdef":
        numbers = [int(each.id[1:]) for each in sum(cuts, ()) if each.suffix == did]
        assert all(first < second for first, second in pairwise(numbers))
