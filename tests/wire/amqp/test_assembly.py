from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from penstock.wire.amqp.assembly import Assembler, Breach, Expecting
from penstock.wire.amqp.constants import (
    BODY_FRAME,
    HEADER_FRAME,
    HEARTBEAT_FRAME,
    METHOD_FRAME,
    PROTOCOL_HEADER,
    ReplyCode,
    Role,
)
from penstock.wire.amqp.decoder import ServerDecoder
from penstock.wire.amqp.interned import Interned
from penstock.wire.amqp.items import FAILURE, HEARTBEAT, METHOD, PUBLISH, Kind
from penstock.wire.amqp.limits import Limits
from penstock.wire.amqp.methods import ChannelClose, ChannelCloseOk
from tests.wire.amqp import samples
from tests.wire.amqp.samples import FAILURE_CASES, FailureCase, plain

if TYPE_CHECKING:
    from penstock.wire.amqp.items import Item

KINDS = (METHOD_FRAME, HEADER_FRAME, BODY_FRAME, HEARTBEAT_FRAME)


def assembler(limits: Limits | None = None) -> Assembler:
    return Assembler(Role.SERVER, limits or Limits(), Interned())


def take(subject: Assembler, frame: bytes, channel: int = 1) -> list[Item]:
    items: list[Item] = []
    subject.take(frame[0], channel, frame, 0, len(frame), items)
    return items


def test_which_frame_may_come_when() -> None:
    legal = {(state.name, kind) for state, kind in Assembler.STEPS}
    assert legal == {
        ("METHOD", METHOD_FRAME),
        ("METHOD", HEARTBEAT_FRAME),
        ("HEADER", HEADER_FRAME),
        ("BODY", BODY_FRAME),
        ("PIECES", BODY_FRAME),
        *(("CLOSE", kind) for kind in KINDS),
    }
    assert {state for state, _ in Assembler.STEPS} == set(Expecting)


def test_a_content_is_put_together() -> None:
    subject = assembler()
    assert take(subject, samples.PUBLISH) == []
    assert take(subject, samples.HEADER) == []
    assert repr(subject) == f"<Assembler 0 ready, {{1: 'BODY'}}, {5 + len(samples.HEADER)} bytes reserved>"
    (item,) = take(subject, samples.BODY)
    assert plain([item]) == [(PUBLISH, 1, ("ex", "key", False, False), samples.PROPERTIES, samples.FRAMES, 5)]
    assert subject.ready == {1}
    assert ", 0 bytes reserved" in repr(subject)


def test_an_empty_content_needs_no_body() -> None:
    subject = assembler()
    take(subject, samples.PUBLISH)
    assert [item[0] for item in take(subject, samples.EMPTY)] == [PUBLISH]


def test_a_large_one_comes_in_pieces() -> None:
    subject = assembler(Limits(piece_from=4))
    take(subject, samples.PUBLISH)
    kinds = [item[0] for frame in (samples.HEADER, samples.BODY) for item in take(subject, frame)]
    assert kinds == [Kind.BODY_START, Kind.BODY_PIECE, Kind.BODY_END]


def test_a_known_property_list_is_not_parsed_again() -> None:
    subject = assembler()
    for _ in range(2):
        items = [
            item for frame in (samples.PUBLISH, samples.HEADER, samples.BODY) for item in take(subject, frame)
        ]
        first = items[0][3]  # type: ignore[misc]
    assert subject._interned.properties[samples.PROPERTIES] is first


def test_other_limits_hold_from_then_on() -> None:
    subject = assembler()
    subject.limit(Limits(channel_max=1))
    with pytest.raises(Breach) as caught:
        take(subject, samples.ACK, channel=2)
    assert caught.value.code is ReplyCode.CHANNEL_ERROR


def test_a_soft_breach_is_its_channels_and_a_hard_one_the_connections() -> None:
    assert Breach(ReplyCode.CONTENT_TOO_LARGE, "", 60 << 16 | 40).failure(3).channel == 3
    hard = Breach(ReplyCode.SYNTAX_ERROR, "", 60 << 16 | 40).failure(3)
    assert (hard.channel, hard.class_id, hard.method_id) == (0, 60, 40)


def test_a_discarded_channel_waits_for_its_close() -> None:
    subject = assembler()
    subject.discard(1)
    close = ChannelClose(200, "", 0, 0)
    for frame in (samples.ACK, samples.HEADER, samples.BODY, samples.HEARTBEAT):
        assert take(subject, frame) == []
    assert take(subject, samples.frame(1, 1, b"\0\x14\0\x28" + ChannelClose.codec.encode(close))) == [
        (METHOD, 1, close)
    ]
    assert take(subject, samples.frame(1, 1, b"\0\x14\0\x29")) == [(METHOD, 1, ChannelCloseOk())]
    assert take(subject, samples.ACK)
    with pytest.raises(Breach):
        take(subject, samples.frame(9, 1, b""))


def test_a_discarded_connection_takes_no_channel_but_0() -> None:
    subject = assembler()
    subject.discard(0)
    assert take(subject, samples.ACK) == []
    assert take(subject, samples.frame(9, 0, b""), channel=0) == []
    assert not subject.ready


def test_a_heartbeat_belongs_to_no_channel() -> None:
    assert take(assembler(), samples.HEARTBEAT, channel=0) == [(HEARTBEAT, 0)]


@pytest.mark.parametrize("case", FAILURE_CASES, ids=[case.name for case in FAILURE_CASES])
def test_every_breach_has_the_standards_code(case: FailureCase) -> None:
    decoder = ServerDecoder(Limits(body_max=1 << 39))
    items = decoder.receive(PROTOCOL_HEADER + case.raw)
    assert [item[2].code for item in items if item[0] is FAILURE] == [case.code]
