from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.wire.amqp import BasicProperties, content_frames, method_frame
from penstock.wire.amqp.decoder import ClientDecoder
from penstock.wire.amqp.encoder import HEARTBEAT_BYTES
from penstock.wire.amqp.interned import Interned
from penstock.wire.amqp.items import DELIVER, DELIVERIES
from penstock.wire.amqp.limits import Limits
from penstock.wire.amqp.methods import BasicDeliver, BasicNack, ChannelOpenOk
from penstock.wire.amqp.runs import runs_in
from tests.wire.amqp.samples import frame

if TYPE_CHECKING:
    from penstock.wire.amqp.items import Item

#: Bytes of a content that are let pass.
MOST = 10_000


def delivery(
    tag: int,
    body: bytes = b"hello",
    *,
    channel: int = 1,
    key: str = "k",
    redelivered: bool = False,
    frame_max: int = 0,
    **properties: Any,
) -> bytes:
    method = BasicDeliver("consumer", tag, redelivered, "ex", key)
    content = content_frames(channel, BasicProperties.of(**properties), body, frame_max)
    return method_frame(channel, method) + content


def runs(data: bytes, channels: frozenset[int] = frozenset({1})) -> tuple[list[tuple[int, str, int]], int]:
    """First tag, routing key and length of each run, and how far they reach."""
    items: list[Any] = []
    end = runs_in(data, 0, channels, Interned(), MOST, items)
    assert all(item[0] is DELIVERIES for item in items)
    return [(item[3], item[2].routing_key, len(item[4])) for item in items], end


def test_deliveries_that_follow_each_other_are_one_run_whatever_their_sizes() -> None:
    data = delivery(7, b"", message_id="a") + delivery(8, b"x" * 99, message_id="bcd") + delivery(9)

    assert runs(data) == ([(7, "k", 3)], len(data))


def test_the_frames_of_each_are_as_they_came() -> None:
    one, two = delivery(1, b"one", message_id="a"), delivery(2, b"")
    items: list[Any] = []
    runs_in(one + two, 0, {1}, Interned(), MOST, items)

    [(_, channel, args, _, frames)] = items
    assert (channel, args) == (1, ("consumer", False, "ex", "k"))
    assert [one.endswith(frames[0]), two.endswith(frames[1])] == [True, True]
    assert [each[0] for each in frames] == [2, 2]  # the header's frame comes first


def test_another_place_or_a_gap_in_the_tags_begins_another_run() -> None:
    data = b"".join(
        [
            delivery(1),
            delivery(2, key="other"),
            delivery(3, key="other", redelivered=True),
            delivery(4),
            delivery(6),
        ]
    )

    expected = [(1, "k", 1), (2, "other", 1), (3, "other", 1), (4, "k", 1), (6, "k", 1)]
    assert runs(data) == (expected, len(data))


@pytest.mark.parametrize(
    "following",
    [
        HEARTBEAT_BYTES,
        delivery(3, channel=2),
        method_frame(1, BasicNack(1)),
        delivery(3)[:-1],
        delivery(3)[:-1] + b"x",  # no end octet where the body ends
        delivery(3)[:20],
        delivery(3, b"x" * MOST),  # too much for who is in a hurry
        delivery(3, b"x" * 5000, frame_max=4096),  # more than one frame
        delivery(3).replace(b"\x00\x3c\x00\x00\x00\x00\x00\x00", b"\x00\x3d\x00\x00\x00\x00\x00\x00"),
        method_frame(1, BasicDeliver("consumer", 3, False, "ex", "k")) + HEARTBEAT_BYTES,  # noqa: FBT003
        method_frame(1, BasicDeliver("consumer", 3, False, "ex", "k"))  # noqa: FBT003
        + frame(2, 1, b"\x00\x3c" + bytes(10)),  # no flags
        b"",
    ],
)
def test_anything_else_ends_it(following: bytes) -> None:
    before = delivery(1) + delivery(2)

    assert runs(before + following) == ([(1, "k", 2)], len(before))


def test_arguments_that_cannot_be_read_are_left_to_others() -> None:
    # The consumer's tag says that it is longer than the frame.
    data = bytearray(delivery(1))
    data[11] = 255

    assert runs(bytes(data) + delivery(2)) == ([], 0)


def opened(*in_runs: int) -> ClientDecoder:
    """A decoder with two channels that are open."""
    decoder = ClientDecoder(Limits(piece_from=200))
    for channel in (1, 2):
        decoder.receive(method_frame(channel, ChannelOpenOk()))
    for channel in in_runs:
        decoder.in_runs(channel)
    return decoder


def taken_apart(items: list[Item]) -> list[Any]:
    """Runs as the deliveries that they are."""
    found: list[Any] = []
    item: Any
    for item in items:
        if item[0] is DELIVERIES:
            _, channel, args, first, frames = item
            found += [(channel, args, first + place, each) for place, each in enumerate(frames)]
        else:
            found.append((item[1], item[2], item[3], item[5]) if item[0] is DELIVER else repr(item))
    return found


MESSAGES = st.lists(
    st.tuples(
        st.sampled_from([1, 1, 1, 2]),
        st.sampled_from(["k", "k", "other"]),
        st.sampled_from([b"", b"x", b"x" * 50, b"x" * 300]),
        st.sampled_from([None, "id", "another"]),
    ),
    max_size=12,
)


@given(messages=MESSAGES, cuts=st.lists(st.integers(1, 400), min_size=1))
def test_a_decoder_that_hands_out_runs_says_the_same(messages: list[Any], cuts: list[int]) -> None:
    data = b"".join(
        delivery(tag, body, channel=channel, key=key, message_id=message_id, frame_max=200)
        for tag, (channel, key, body, message_id) in enumerate(messages, 1)
    )
    usual, ours = opened(), opened(1)
    expected, found, at, turn = [], [], 0, 0
    while at < len(data):
        piece = data[at : at + cuts[turn % len(cuts)]]
        expected += usual.receive(piece)
        found += ours.receive(piece)
        at, turn = at + len(piece), turn + 1

    assert taken_apart(found) == taken_apart(expected)


def test_a_channel_that_is_no_longer_wanted_so_is_as_others() -> None:
    decoder = opened(1)
    assert [item[0] for item in decoder.receive(delivery(1) + delivery(2))] == [DELIVERIES]

    decoder.in_runs(1, wanted=False)

    assert [item[0] for item in decoder.receive(delivery(3) + delivery(4))] == [DELIVER, DELIVER]


def test_on_a_channel_that_is_being_closed_nothing_is_taken() -> None:
    decoder = opened(1)
    decoder.discard(1)

    assert decoder.receive(delivery(1) + delivery(2)) == []
