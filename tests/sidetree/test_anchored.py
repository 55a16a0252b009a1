from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.sidetree.anchored import Anchored, in_order


def op(reference: str, time: int = 5, number: int = 0, type_: str = "update", previous: str = "") -> Anchored:
    return Anchored(
        type=type_,
        suffix="s",
        request=reference.encode(),
        time=time,
        number=number,
        reference=reference,
        previous=previous,
    )


def waiting(time: int) -> Anchored:
    return Anchored(type="update", suffix="s", request=b"%d" % time, time=time)


@pytest.mark.parametrize(
    "expected",
    [
        [op("c", 1), op("b", 2), op("a", 3)],
        [op("c", 1, 1), op("b", 1, 2), op("a", 2, 0)],
        # Those that are not anchored come last, whatever their time.
        [op("a", 9), waiting(1), waiting(2)],
        # One second: by the chain of anchors,
        [op("d"), op("c", previous="d"), op("b", previous="c"), op("a", previous="b")],
        # by type,
        [op("d", type_="create"), op("c", type_="recover"), op("b", type_="deactivate"), op("a")],
        # and by reference.
        [op("a"), op("b"), op("c")],
        # The chain before the type: a recover after an update.
        [op("d", type_="create"), op("c", previous="d"), op("b", type_="recover", previous="c")],
        # Anchors that are not here do not matter.
        [op("a", previous="unknown"), op("b", previous="elsewhere")],
    ],
)
def test_there_is_one_order(expected: list[Anchored]) -> None:
    assert in_order(reversed(expected)) == expected
    assert in_order(expected[1:] + expected[:1]) == expected


def test_whether_one_is_published_shows_in_its_reference() -> None:
    assert op("a").published
    assert not waiting(1).published


def test_anchors_that_name_each_other_in_a_ring_are_ordered_all_the_same() -> None:
    ring = [op("a", previous="b"), op("b", previous="a"), op("c", previous="c")]
    assert [entry.reference for entry in in_order(ring)] == [
        entry.reference for entry in in_order(ring[::-1])
    ]
    assert len(in_order(ring)) == 3


def test_thousands_of_one_second_are_ordered_while_somebody_waits() -> None:
    # What took a second for a thousand would take hours for these: their names tell nothing of their order.
    names = [f"{number * 7919 % 20_000:05}" for number in range(20_000)]
    told = [op(name, previous=before) for before, name in pairwise(["", *names])]
    assert [entry.reference for entry in in_order(told)] == names


operations = st.builds(
    op,
    st.sampled_from("abcdef"),
    st.integers(1, 2),
    st.integers(0, 1),
    st.sampled_from(["create", "update", "recover", "deactivate", "unheard"]),
    st.sampled_from(["", "a", "b", "c", "d"]),
)


@given(
    st.lists(operations, max_size=8).flatmap(lambda found: st.tuples(st.just(found), st.permutations(found)))
)
def test_the_order_does_not_depend_on_how_they_came(both: tuple[list[Anchored], list[Anchored]]) -> None:
    assert in_order(both[0]) == in_order(both[1])
    assert sorted(map(repr, both[0])) == sorted(map(repr, in_order(both[0])))
