from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from penstock.did.federation.membership import (
    FOLLOWERS,
    LIKES,
    add_member,
    all_members,
    count_members,
    has_member,
    member_since,
    page_of_members,
    remove_member,
)

if TYPE_CHECKING:
    from penstock.did.database import DomainDatabase


def test_a_member_is_there_once_until_it_is_removed(kept: DomainDatabase) -> None:
    for entry in ("b", "a", "b"):
        kept.do(add_member, FOLLOWERS, entry, at=1.0)
    assert kept.do(all_members, FOLLOWERS) == ["b", "a"]
    assert kept.do(count_members, FOLLOWERS) == 2
    for _ in range(2):
        kept.do(remove_member, FOLLOWERS, "b")
    assert not kept.do(has_member, FOLLOWERS, "b")
    assert kept.do(has_member, FOLLOWERS, "a")
    assert not kept.do(has_member, LIKES, "a")


def test_since_when_a_member_is_there_is_known(kept: DomainDatabase) -> None:
    for at in (1.5, 2.5):
        kept.do(add_member, FOLLOWERS, "a", at=at)
    assert kept.do(member_since, FOLLOWERS, "a") == 1.5
    assert kept.do(member_since, FOLLOWERS, "b") is None


def test_collections_of_each_subject_are_apart_and_all_together(kept: DomainDatabase) -> None:
    for subject in ("x", "y"):
        kept.do(add_member, LIKES, "a", at=1.0, subject=subject)
    kept.do(add_member, LIKES, "b", at=1.0, subject="y")
    assert [kept.do(count_members, LIKES, subject=each) for each in ("x", "y", "", None)] == [1, 2, 0, 3]
    assert kept.do(page_of_members, LIKES, range(5), subject="y") == ["a", "b"]
    kept.do(remove_member, LIKES, "a", subject="y")
    assert kept.do(page_of_members, LIKES, range(5), subject=None) == ["a", "b"]


@pytest.mark.parametrize(
    ("span", "expected"),
    [(range(2), "ab"), (range(1, 3), "bc"), (range(1, 3)[::-1], "cb"), (range(0), "")],
)
def test_a_page_has_the_entries_of_its_span(
    kept_in_memory: DomainDatabase, span: range, expected: str
) -> None:
    for entry in "abc":
        kept_in_memory.do(add_member, FOLLOWERS, entry, at=1.0)
    assert kept_in_memory.do(page_of_members, FOLLOWERS, span) == list(expected)
