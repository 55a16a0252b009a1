from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.wire.amqp import BasicProperties
from penstock.wire.arrow.property_lists import columns_of, value_of
from penstock.wire.arrow.shapes import slices_of

LETTER = st.sampled_from("abc")
#: Values of one length each, so that lists which have the same of them are of one shape.
ALIKE: dict[str, st.SearchStrategy[Any]] = {
    "content_type": LETTER,
    "headers": st.fixed_dictionaries({"n": st.integers(0, 9)}),
    "delivery_mode": st.integers(0, 255),
    "message_id": LETTER,
    "timestamp": st.integers(0, 2**64 - 1),
    "app_id": LETTER,
}
NAMES = sorted(ALIKE)


def column(*lists: bytes) -> Any:
    return pa.array(lists, pa.binary())


@given(st.data(), st.sets(st.sampled_from(NAMES), min_size=1), st.sets(st.sampled_from(NAMES), min_size=1))
def test_slices_hold_what_one_look_at_each_finds(
    data: st.DataObject, given: set[str], wanted: set[str]
) -> None:
    one = st.fixed_dictionaries({name: ALIKE[name] for name in sorted(given)})
    lists = [BasicProperties.of(**values).raw for values in data.draw(st.lists(one, min_size=1, max_size=4))]
    slices = slices_of(column(*lists), sorted(wanted))
    assert slices is not None
    assert slices.keys() == given & wanted
    expected = columns_of(lists, sorted(given & wanted))
    found = {
        name: [value_of(name, raw) for raw in slice_.to_pylist()] for name, slice_ in sorted(slices.items())
    }
    assert found == expected


ONE = BasicProperties.of(message_id="m-1", app_id="shop").raw


@pytest.mark.parametrize(
    "other",
    [
        BasicProperties.of(message_id="m-1").raw,
        BasicProperties.of(message_id="m-10", app_id="shop").raw,
        ONE[:-1],
        ONE[:2],
        b"",
    ],
    ids=["other properties", "another length", "cut short", "cut shorter", "nothing"],
)
def test_lists_of_several_shapes_are_not_sliced(other: bytes) -> None:
    assert slices_of(column(ONE, other), ["message_id", "app_id"]) is None


def test_what_follows_the_last_that_is_wanted_may_differ() -> None:
    other = BasicProperties.of(message_id="m-2", app_id="another shop").raw
    slices = slices_of(column(ONE, other), ["message_id"])
    assert slices is not None
    assert slices["message_id"].to_pylist() == [b"m-1", b"m-2"]


def test_no_list_has_no_shape() -> None:
    assert slices_of(column(), ["message_id"]) is None
