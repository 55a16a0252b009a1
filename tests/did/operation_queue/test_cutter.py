from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.did.operation_queue.cutter import CutRules, Reason, by_shares, due_at, plan, room_for_all
from penstock.did.operation_queue.pending import Entry

RULES = CutRules(max_operation_count=4, timeout=60.0)


def entry(name: str, *, version: int = 0, size: int = 100, added_at: float = 0.0) -> Entry:
    """`a2` is the second operation of the DID a."""
    return Entry(
        id=name, suffix=name[0], type="update", version=version, size=size, has_error=False, added_at=added_at
    )


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
    rules = CutRules(gauge=by_shares(lambda each: (each.size / 300, each.size / 1000)))
    assert cut(*"abc", rules=rules) is None
    assert cut(*"abcd", rules=rules) == ("abc", "SIZE")
    # The limit counts for each batch anew.
    assert cut(*"d", rules=rules) is None


def test_an_operation_that_fits_nowhere_has_a_batch_of_its_own() -> None:
    rules = CutRules(gauge=by_shares(lambda each: [each.size / 300]))
    for pending, first in (("ab", "a"), ("ba", "b")):
        entries = [entry(name, size=5000 if name == "a" else 100) for name in pending]
        found = plan(entries, rules, 0.0)
        assert found is not None
        assert ([each.id for each in found.entries], found.reason) == ([first], Reason.SIZE)


def test_files_without_limits_have_room_for_all() -> None:
    assert room_for_all()(entry("a", size=10**9))


@given(
    st.lists(st.tuples(st.sampled_from("abcdef"), st.integers(0, 1), st.integers(1, 400)), max_size=40),
    st.integers(1, 5),
)
def test_round_after_round_everything_is_cut_once_and_each_dids_operations_in_order(
    drawn: list[tuple[str, int, int]], most: int
) -> None:
    pending = [entry(f"{did}{n}", version=version, size=size) for n, (did, version, size) in enumerate(drawn)]
    rules = CutRules(max_operation_count=most, gauge=by_shares(lambda each: [each.size / 500]))
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
        assert len(entries) == 1 or sum(each.size for each in entries) <= 500
    for did in "abcdef":
        numbers = [int(each.id[1:]) for each in sum(cuts, ()) if each.suffix == did]
        assert all(first < second for first, second in pairwise(numbers))
