from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from penstock.wire.amqp.content import (
    bodies_of,
    body_frames,
    body_of,
    body_size_of,
    content_frames,
    header_frame,
    on_channel,
    properties_of,
    with_properties,
)
from penstock.wire.amqp.properties import BasicProperties
from tests.wire.amqp.samples import BODY, EMPTY, FRAMES, HEADER, PROPERTIES, frame

SAMPLE = BasicProperties(PROPERTIES)


def test_a_content_both_ways() -> None:
    assert content_frames(1, SAMPLE, b"hello", 4096) == content_frames(1, SAMPLE, b"hello", 0) == FRAMES
    assert header_frame(1, SAMPLE, 5) == HEADER
    assert body_frames(1, b"hello", 0) == BODY
    assert (body_of(FRAMES), body_size_of(FRAMES), properties_of(FRAMES).raw) == (b"hello", 5, PROPERTIES)


def test_an_empty_body_has_no_frame() -> None:
    assert content_frames(1, BasicProperties.of(), b"", 4096) == EMPTY
    assert (body_of(EMPTY), body_size_of(EMPTY)) == (b"", 0)
    assert body_frames(1, b"", 0) == b""


def test_a_body_is_cut_at_the_frame_size() -> None:
    cut = frame(3, 1, b"he") + frame(3, 1, b"ll") + frame(3, 1, b"o")
    assert body_frames(1, b"hello", 10) == cut
    assert body_of(HEADER + cut) == b"hello"


def test_the_same_frames_go_where_they_can_go() -> None:
    assert on_channel(FRAMES, 1, 4096) is FRAMES
    assert on_channel(FRAMES, 1, 0) is FRAMES


@given(
    body=st.binary(max_size=100),
    came=st.tuples(st.integers(0, 65_535), st.integers(9, 200)),
    goes=st.tuples(st.integers(0, 65_535), st.integers(9, 200)),
)
def test_frames_for_another_channel_or_frame_size(
    body: bytes, came: tuple[int, int], goes: tuple[int, int]
) -> None:
    frames = content_frames(came[0], SAMPLE, body, came[1])
    moved = on_channel(frames, *goes)
    assert (body_of(moved), properties_of(moved).raw) == (body, PROPERTIES)
    assert moved == content_frames(goes[0], SAMPLE, body, goes[1]) or len(moved) <= goes[1]


def test_other_properties_before_the_same_body() -> None:
    other = BasicProperties.of(headers={"x-death": []})
    assert with_properties(FRAMES, other) == content_frames(1, other, b"hello", 0)


@given(st.lists(st.tuples(st.binary(max_size=40), st.integers(9, 60))))
def test_many_bodies_are_what_each_is(contents: list[tuple[bytes, int]]) -> None:
    frames = [content_frames(1, SAMPLE, body, frame_max) for body, frame_max in contents]
    assert bodies_of(frames) == [body for body, _ in contents] == [body_of(each) for each in frames]
