from __future__ import annotations

import pytest

from penstock.wire.amqp.content import content_frames, header_frame
from penstock.wire.amqp.encoder import (
    _MOST_ROUTES,
    HEARTBEAT_BYTES,
    DeliverEncoder,
    PublishEncoder,
    confirm_frames,
    content_method_frames,
    method_frame,
)
from penstock.wire.amqp.errors import CannotEncode
from penstock.wire.amqp.items import PublishArgs
from penstock.wire.amqp.methods import (
    BasicAck,
    BasicDeliver,
    BasicGetOk,
    BasicPublish,
    QueueDeclare,
)
from penstock.wire.amqp.properties import BasicProperties
from tests.wire.amqp import samples
from tests.wire.amqp.samples import FRAMES, METHOD_CASES, MethodCase

ROUTE = PublishArgs("ex", "key")


@pytest.mark.parametrize("case", METHOD_CASES, ids=[case.name for case in METHOD_CASES])
def test_a_method_in_its_frame(case: MethodCase) -> None:
    assert method_frame(case.channel, case.method) == case.raw


def test_headers_that_fit_no_frame_are_the_callers_fault() -> None:
    def properties(size: int) -> BasicProperties:
        # Flags, the table's size, a name and a value with their lengths and the kind.
        return BasicProperties.of(headers={"h": "x" * (size - 2 - 4 - 2 - 5)})

    encoder, out = PublishEncoder(1, 4096), list[bytes]()
    most = 4096 - 8 - 12
    assert len(properties(most).raw) == most
    encoder.publish(out, ROUTE, properties(most), b"body")
    assert len(out[1]) == 4096 + 8 + len(b"body")
    with pytest.raises(CannotEncode, match="bytes of headers fit a frame"):
        encoder.publish(out, ROUTE, properties(most + 1), b"body")
    PublishEncoder(1, 0).publish(out, ROUTE, properties(most + 1), b"body")


def test_a_method_that_cannot_be_encoded_is_the_callers_fault() -> None:
    with pytest.raises(CannotEncode):
        method_frame(1, QueueDeclare("q" * 256))


def test_a_heartbeat() -> None:
    assert HEARTBEAT_BYTES == samples.HEARTBEAT


def test_a_delivery_is_what_the_codec_would_write() -> None:
    out: list[bytes] = []
    encoder = DeliverEncoder(1, "c", 4096)
    encoder.deliver(out, 7, ROUTE, FRAMES, redelivered=True)
    assert b"".join(out) == samples.DELIVER + FRAMES
    out.clear()
    encoder.deliver(out, 8, PublishArgs("", "é"), FRAMES, redelivered=False)
    method = BasicDeliver("c", 8, redelivered=False, exchange="", routing_key="é")
    assert b"".join(out) == method_frame(1, method) + FRAMES


def test_content_goes_out_as_it_came_if_it_can() -> None:
    out: list[bytes] = []
    DeliverEncoder(1, "c", 0).deliver(out, 7, ROUTE, FRAMES, redelivered=False)
    assert out[-1] is FRAMES
    DeliverEncoder(9, "c", 0).deliver(out, 7, ROUTE, FRAMES, redelivered=False)
    assert out[-1] == content_frames(9, BasicProperties(samples.PROPERTIES), b"hello", 0)


def test_content_is_cut_for_a_smaller_frame_size() -> None:
    frames = content_frames(1, BasicProperties.of(), bytes(5000), 131_072)
    out: list[bytes] = []
    DeliverEncoder(1, "c", 4096).deliver(out, 7, ROUTE, frames, redelivered=False)
    assert out[-1] == content_frames(1, BasicProperties.of(), bytes(5000), 4096)


def test_routes_are_remembered_and_bounded() -> None:
    deliver, publish = DeliverEncoder(1, "c", 0), PublishEncoder(1, 0)
    for i in range(_MOST_ROUTES + 1):
        deliver.deliver([], i, PublishArgs("ex", str(i)), FRAMES, redelivered=False)
        publish.forward([], PublishArgs("ex", str(i)), FRAMES)
    assert len(deliver._routes) == len(publish._routes) == 1


@pytest.mark.parametrize(
    ("tags", "lowest_open", "expected"),
    [
        # nothing to say
        ([], None, []),
        # one alone is no multiple
        ([1], None, [BasicAck(1)]),
        ([1, 2, 3], None, [BasicAck(3, multiple=True)]),
        # an open one below: each for itself
        ([2, 3], 1, [BasicAck(2), BasicAck(3)]),
        # an open one between
        ([1, 2, 5], 3, [BasicAck(2, multiple=True), BasicAck(5)]),
        ([1, 3], 2, [BasicAck(1), BasicAck(3)]),
        # all open ones above
        ([4, 5], 6, [BasicAck(5, multiple=True)]),
    ],
)
def test_confirms_leave_together_where_they_can(
    tags: list[int], lowest_open: int | None, expected: list[BasicAck]
) -> None:
    out: list[bytes] = []
    confirm_frames(out, 1, tags, lowest_open)
    assert out == [method_frame(1, ack) for ack in expected]


def test_a_method_with_content() -> None:
    out: list[bytes] = []
    got = BasicGetOk(1, redelivered=False, exchange="ex", routing_key="key", message_count=0)
    content_method_frames(out, 1, got, FRAMES, 4096)
    assert out == [method_frame(1, got), FRAMES]


def test_a_publish_three_ways() -> None:
    encoder = PublishEncoder(1, 4096)
    properties = BasicProperties(samples.PROPERTIES)
    out: list[bytes] = []
    encoder.publish(out, ROUTE, properties, b"hello")
    encoder.forward(out, ROUTE, FRAMES)
    encoder.start(out, ROUTE, header_frame(1, properties, 5))
    assert b"".join(out) == (samples.PUBLISH + FRAMES) * 2 + samples.PUBLISH + samples.HEADER


def test_a_publish_keeps_its_bits() -> None:
    out: list[bytes] = []
    PublishEncoder(1, 0).forward(out, PublishArgs("ex", "key", mandatory=True), FRAMES)
    assert out[0] == method_frame(1, BasicPublish("ex", "key", mandatory=True))
