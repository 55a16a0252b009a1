from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given, settings
from hypothesis import strategies as st

from penstock.did.database import DomainDatabase
from penstock.did.federation import FEDERATION
from penstock.did.federation.grants import Bond, dismiss, grant, grants_of, is_taken_back, revoke, take_back
from penstock.did.federation.membership import FOLLOWERS, WITNESSING, all_members

if TYPE_CHECKING:
    from collections.abc import Callable


def bond(asking: str = "1", member: str = "b", collection: str = FOLLOWERS) -> Bond:
    return Bond(collection=collection, member=member, asking=asking, asker=member)


def test_a_member_stays_until_its_last_bond_is_gone(kept: DomainDatabase) -> None:
    for asking in ("1", "1", "2"):
        assert kept.do(grant, bond(asking), 1.0)
    kept.do(revoke, bond("1"), 1.0)
    assert kept.do(all_members, FOLLOWERS) == ["b"]
    for _ in range(2):
        kept.do(revoke, bond("2"), 1.0)
    assert kept.do(all_members, FOLLOWERS) == []


def test_by_what_somebody_is_a_member_is_known(kept: DomainDatabase) -> None:
    for each in (bond("2"), bond("1"), bond("3", member="c"), bond("4", collection=WITNESSING)):
        kept.do(grant, each, 1.0)
    assert kept.do(grants_of, FOLLOWERS, "b") == ["2", "1"]
    assert kept.do(grants_of, FOLLOWERS, "d") == []


def test_who_is_dismissed_leaves_whatever_it_was_granted_and_may_come_again(kept: DomainDatabase) -> None:
    others = bond(member="c"), bond(collection=WITNESSING)
    for each in (bond("1"), bond("2"), *others):
        kept.do(grant, each, 1.0)
    kept.do(dismiss, bond("3"), 1.0)
    assert kept.do(all_members, FOLLOWERS) == ["c"]
    assert kept.do(all_members, WITNESSING) == ["b"]
    assert kept.do(grant, bond("1"), 1.0)
    assert kept.do(all_members, FOLLOWERS) == ["c", "b"]


def test_what_was_taken_back_is_never_granted_again_but_to_another_of_that_name(
    kept: DomainDatabase,
) -> None:
    kept.do(take_back, bond("1"), 1.0)
    assert kept.do(is_taken_back, bond("1"))
    assert not kept.do(grant, bond("1"), 1.0)
    assert kept.do(grant, bond("1", member="c"), 1.0)
    assert kept.do(all_members, FOLLOWERS) == ["c"]


@settings(deadline=None, max_examples=50)
@given(st.lists(st.tuples(st.sampled_from([grant, take_back]), st.sampled_from("123")), max_size=12))
def test_in_whatever_order_and_however_often_they_come_the_end_is_the_same(
    story: list[tuple[Callable[..., object], str]],
) -> None:
    database = DomainDatabase("sqlite://")
    database.create(FEDERATION)
    for verb, asking in story:
        database.do(verb, bond(asking), 1.0)
    asked = {asking for verb, asking in story if verb is grant}
    taken_back = {asking for verb, asking in story if verb is take_back}
    assert database.do(all_members, FOLLOWERS) == (["b"] if asked - taken_back else [])
    database.close()
