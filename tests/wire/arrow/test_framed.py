from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.wire.amqp import BasicProperties
from penstock.wire.amqp.content import content_frames, header_frame
from penstock.wire.arrow.framed import bodies_in, property_lists_in

IDS = st.text(max_size=10) | st.just("always-the-same")
CONTENTS = st.lists(st.tuples(IDS, st.binary(max_size=40), st.sampled_from([0, 16, 4096])), max_size=6)


@given(CONTENTS)
def test_lists_and_bodies_are_those_that_were_framed(contents: list[tuple[str, bytes, int]]) -> None:
    lists = [BasicProperties.of(message_id=name) for name, _, _ in contents]
    frames = [
        content_frames(7, properties, body, frame_max)
        for properties, (_, body, frame_max) in zip(lists, contents, strict=True)
    ]
    column = pa.array(frames, pa.binary())
    assert property_lists_in(column).to_pylist() == [properties.raw for properties in lists]
    assert bodies_in(column).to_pylist() == [body for _, body, _ in contents]


@pytest.mark.parametrize("others", [0, 2])
def test_a_body_that_is_lost_is_null(others: int) -> None:
    properties = BasicProperties.of(type="scan")
    lost = header_frame(1, properties, 70_000)
    found = content_frames(1, properties, b"here", 0)
    column = pa.array([lost, *[found] * others], pa.binary())
    assert bodies_in(column).to_pylist() == [None, *[b"here"] * others]
    assert property_lists_in(column).to_pylist() == [properties.raw] * (1 + others)


def test_a_part_of_a_column_is_taken_apart_like_the_whole() -> None:
    lists = [BasicProperties.of(message_id=f"m-{n}") for n in range(6)]
    column = pa.array([content_frames(1, each, b"body", 0) for each in lists], pa.binary()).slice(2, 3)
    assert property_lists_in(column).to_pylist() == [each.raw for each in lists[2:5]]
    assert bodies_in(column).to_pylist() == [b"body"] * 3
