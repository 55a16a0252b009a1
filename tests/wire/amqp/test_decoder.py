from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.wire.amqp.constants import PROTOCOL_HEADER, ReplyCode, Role
from penstock.wire.amqp.content import body_of, content_frames
from penstock.wire.amqp.decoder import ClientDecoder, Decoder, ServerDecoder
from penstock.wire.amqp.encoder import DeliverEncoder, PublishEncoder, method_frame
from penstock.wire.amqp.items import (
    ACK,
    DELIVER,
    FAILURE,
    GET_OK,
    GREETING,
    HEARTBEAT,
    METHOD,
    NACK,
    PUBLISH,
    REFUSED,
    REJECT,
    RETURN,
    Kind,
    PublishArgs,
)
from penstock.wire.amqp.limits import Limits
from penstock.wire.amqp.methods import (
    BasicGetOk,
    BasicNack,
    BasicPublish,
    BasicReject,
    BasicReturn,
    ChannelClose,
    ChannelCloseOk,
    ConnectionClose,
    ConnectionCloseOk,
    TxSelect,
)
from penstock.wire.amqp.properties import BasicProperties
from tests.wire.amqp import samples
from tests.wire.amqp.samples import (
    EMPTY,
    FAILURE_CASES,
    FRAMES,
    METHOD_CASES,
    PROPERTIES,
    FailureCase,
    MethodCase,
    plain,
)

if TYPE_CHECKING:
    from penstock.wire.amqp.items import Item

ARGS = ("ex", "key", False, False)
WHOLE = (PUBLISH, 1, ARGS, PROPERTIES, FRAMES, 5)
LIMITS = Limits(body_max=1 << 39)


def server(limits: Limits = LIMITS) -> ServerDecoder:
    """A decoder whose client has said hello."""
    decoder = ServerDecoder(limits)
    assert decoder.receive(PROTOCOL_HEADER) == [(GREETING, 0)]
    return decoder


def whole(decoder: Decoder, data: bytes) -> list[Item]:
    return decoder.receive(data)


def bytewise(decoder: Decoder, data: bytes) -> list[Item]:
    return [item for i in range(len(data)) for item in decoder.receive(data[i : i + 1])]


def in_threes(decoder: Decoder, data: bytes) -> list[Item]:
    return [item for i in range(0, len(data), 3) for item in decoder.receive(data[i : i + 3])]


each_way = pytest.mark.parametrize("feed", [whole, bytewise, in_threes])


# (name, bytes, items), each also with what a client says next behind it.
RETURNED = BasicReturn(312, "NO_ROUTE", "ex", "key")
GOT = BasicGetOk(7, redelivered=False, exchange="ex", routing_key="key", message_count=2)
SERVER_CASES: list[tuple[str, bytes, list[Any]]] = [
    ("heartbeat", samples.HEARTBEAT, [(HEARTBEAT, 0)]),
    ("publish", samples.PUBLISH + FRAMES, [WHOLE]),
    ("empty publish", samples.PUBLISH + EMPTY, [(PUBLISH, 1, ARGS, b"\0\0", EMPTY, 0)]),
    # from the second on the hot loop takes them, from the third on it knows them by heart
    ("publishes in a row", (samples.PUBLISH + FRAMES) * 5, [WHOLE] * 5),
    ("empty ones in a row", (samples.PUBLISH + EMPTY) * 5, [(PUBLISH, 1, ARGS, b"\0\0", EMPTY, 0)] * 5),
    ("ack", samples.ACK * 2, [(ACK, 1, 3, True)] * 2),
    ("nack", method_frame(1, BasicNack(3, requeue=True)) * 2, [(NACK, 1, 3, False, True)] * 2),
    ("reject", method_frame(1, BasicReject(3, requeue=False)) * 2, [(REJECT, 1, 3, False)] * 2),
    (
        "body in several frames",
        samples.PUBLISH
        + samples.HEADER
        + b"".join(samples.frame(3, 1, piece) for piece in (b"he", b"", b"llo")),
        [WHOLE],
    ),
    (
        "two channels at once",
        samples.PUBLISH + method_frame(2, TxSelect()) + samples.HEADER + samples.HEARTBEAT + samples.BODY,
        [(METHOD, 2, TxSelect()), (HEARTBEAT, 0), WHOLE],
    ),
]
CLIENT_CASES: list[tuple[str, bytes, list[Any]]] = [
    (
        "deliver",
        (samples.DELIVER + FRAMES) * 3,
        [(DELIVER, 1, ("c", True, "ex", "key"), 7, PROPERTIES, FRAMES, 5)] * 3,
    ),
    (
        "empty deliver",
        (samples.DELIVER + EMPTY) * 2,
        [(DELIVER, 1, ("c", True, "ex", "key"), 7, b"\0\0", EMPTY, 0)] * 2,
    ),
    ("return", method_frame(1, RETURNED) + FRAMES, [(RETURN, 1, RETURNED, PROPERTIES, FRAMES, 5)]),
    ("get-ok", method_frame(1, GOT) + FRAMES, [(GET_OK, 1, GOT, PROPERTIES, FRAMES, 5)]),
    ("confirm", samples.ACK * 2, [(ACK, 1, 3, True)] * 2),
    ("refused confirm", method_frame(1, BasicNack(3)) * 2, [(NACK, 1, 3, False, True)] * 2),
]


@each_way
@pytest.mark.parametrize("trailing", [b"", samples.HEARTBEAT, samples.PUBLISH + FRAMES])
@pytest.mark.parametrize(("name", "raw", "expected"), SERVER_CASES, ids=[row[0] for row in SERVER_CASES])
def test_what_a_client_says(name: str, raw: bytes, expected: list[Any], trailing: bytes, feed: Any) -> None:
    items = feed(server(), raw + trailing)
    assert plain(items)[: len(expected)] == expected
    assert len(items) == len(expected) + (trailing != b"")


@each_way
@pytest.mark.parametrize("trailing", [b"", samples.HEARTBEAT, samples.ACK])
@pytest.mark.parametrize(("name", "raw", "expected"), CLIENT_CASES, ids=[row[0] for row in CLIENT_CASES])
def test_what_a_server_says(name: str, raw: bytes, expected: list[Any], trailing: bytes, feed: Any) -> None:
    items = feed(ClientDecoder(), raw + trailing)
    assert plain(items)[: len(expected)] == expected
    assert len(items) == len(expected) + (trailing != b"")


@each_way
@pytest.mark.parametrize("case", METHOD_CASES, ids=[case.name for case in METHOD_CASES])
def test_every_other_method_is_an_object(case: MethodCase, feed: Any) -> None:
    decoder = server() if case.method.to & Role.SERVER else ClientDecoder()
    (item,) = feed(decoder, case.raw)
    assert item[1] == case.channel
    if case.name not in {"basic.nack", "basic.reject"}:
        assert item == (METHOD, case.channel, case.method)


def test_messages_all_alike_cut_anywhere() -> None:
    # The hot loop knows the third by heart; a part of it must not pass for all of it.
    data = (samples.PUBLISH + FRAMES) * 4
    for at in range(len(data)):
        decoder = server()
        assert plain(decoder.receive(data[:at]) + decoder.receive(data[at:])) == [WHOLE] * 4


def test_a_message_like_the_others_with_a_wrong_end() -> None:
    message = samples.PUBLISH + FRAMES
    items = server().receive(message * 3 + message[:-1] + b"\0")
    assert [item[0] for item in items] == [PUBLISH, PUBLISH, PUBLISH, FAILURE]


def test_a_cut_body_whose_next_frame_looks_like_an_end() -> None:
    # Channel 206 is the end octet: it lies just where a body of five in one frame would end.
    method = method_frame(206, BasicPublish("ex", "key"))
    out = [method, content_frames(206, BasicProperties(PROPERTIES), b"hello", 10)] * 3
    items = server().receive(b"".join(out))
    assert [body_of(item[4]) for item in items if item[0] is PUBLISH] == [b"hello"] * 3


# What breaks the standard.


@each_way
@pytest.mark.parametrize("before", [b"", samples.PUBLISH + FRAMES], ids=["at first", "when running"])
@pytest.mark.parametrize("case", FAILURE_CASES, ids=[case.name for case in FAILURE_CASES])
def test_what_breaks_the_standard_is_a_failure(case: FailureCase, before: bytes, feed: Any) -> None:
    items = feed(server(), before + case.raw + samples.PUBLISH + FRAMES)
    failures = [item for item in items if item[0] is FAILURE]
    assert len(failures) == 1
    _, channel, failure = failures[0]
    assert (failure.code, channel, failure.channel) == (case.code, case.channel, case.channel)
    assert (failure.class_id, failure.method_id) == case.method
    assert failure.reply()[1].codec.encode(failure.reply()[1])
    # and nothing more is taken for that scope
    assert len(items) == 1 + (before != b"")


def test_after_a_failure_the_connection_can_still_be_closed() -> None:
    decoder = server()
    assert decoder.receive(samples.BODY)[0][0] is FAILURE
    close = ConnectionClose(200, "bye", 0, 0)
    noise = (
        samples.PUBLISH + FRAMES + samples.HEARTBEAT + method_frame(0, TxSelect()) + samples.frame(9, 0, b"")
    )
    assert decoder.receive(noise) == []
    assert decoder.receive(method_frame(0, close) + method_frame(0, ConnectionCloseOk())) == [
        (METHOD, 0, close),
        (METHOD, 0, ConnectionCloseOk()),
    ]


def test_after_a_frame_error_nothing_is_read() -> None:
    decoder = server()
    assert decoder.receive(samples.frame(1, 1, b"", b"\0") + samples.ACK)[0][0] is FAILURE
    assert decoder.receive(samples.ACK + method_frame(0, ConnectionCloseOk())) == []
    assert "over: True" in repr(decoder)


def test_no_second_failure_is_reported() -> None:
    decoder = server()
    assert len(decoder.receive(samples.BODY + samples.frame(1, 1, b"", b"\0"))) == 1


def test_a_channel_that_failed_takes_only_its_close() -> None:
    # Given a channel that was closed for a body too large
    decoder = server(Limits(body_max=4))
    (item,) = decoder.receive(samples.PUBLISH + samples.HEADER)
    assert item[0] is FAILURE
    assert item[2].code is ReplyCode.CONTENT_TOO_LARGE
    # When the rest of that message and others come, on this channel and the next
    other = method_frame(2, TxSelect())
    assert decoder.receive(samples.BODY + samples.PUBLISH + FRAMES + samples.ACK + other) == [
        (METHOD, 2, TxSelect())
    ]
    # Then only a close is heard, and after its ok the channel is as new
    close = ChannelClose(200, "", 0, 0)
    broken = samples.frame(1, 1, b"\0\x14\0\x28")
    stray = samples.frame(1, 1, b"\0\x0a\0\x33")
    ok = method_frame(1, ChannelCloseOk())
    assert decoder.receive(method_frame(1, close) + broken + stray + samples.ACK + ok + samples.ACK) == [
        (METHOD, 1, close),
        (METHOD, 1, ChannelCloseOk()),
        (ACK, 1, 3, True),
    ]


def test_a_channel_can_be_discarded_for_a_reason_of_ones_own() -> None:
    decoder = server()
    decoder.receive(samples.PUBLISH + samples.HEADER)
    decoder.discard(1)
    assert decoder.receive(samples.BODY + samples.ACK) == []
    assert ", 0 bytes reserved" in repr(decoder)


def test_a_channel_in_full_flow_can_be_discarded() -> None:
    decoder = server()
    decoder.receive(samples.ACK * 2)
    decoder.discard(1)
    assert decoder.receive(samples.ACK * 2) == []


def test_so_can_the_connection() -> None:
    decoder = server()
    decoder.receive(samples.ACK)
    decoder.discard(0)
    assert decoder.receive(samples.ACK) == []


# Greetings.


@each_way
def test_a_client_is_greeted(feed: Any) -> None:
    assert feed(ServerDecoder(), PROTOCOL_HEADER + samples.HEARTBEAT) == [(GREETING, 0), (HEARTBEAT, 0)]
    assert feed(ServerDecoder(), b"AMQP\x01\x01\x00\x09") == [(GREETING, 0)]


@each_way
@pytest.mark.parametrize(
    "hello", [b"AMQP\x03\x01\x00\x00", b"GET / HTTP/1.1", b"\x16\x03\x01\x00\xa5\x01\x00\x00"]
)
def test_another_protocol_is_refused(hello: bytes, feed: Any) -> None:
    assert feed(ServerDecoder(), hello + samples.ACK) == [(REFUSED, 0, PROTOCOL_HEADER)]


@each_way
def test_a_server_may_refuse_us(feed: Any) -> None:
    assert feed(ClientDecoder(), b"AMQP\x00\x00\x08\x00") == [(REFUSED, 0, b"AMQP\x00\x00\x08\x00")]


def test_the_base_greets_nobody() -> None:
    class Neither(ServerDecoder):
        _greet = Decoder._greet

    with pytest.raises(NotImplementedError):
        Neither().receive(b"x")


# Large bodies, and bounds.


@each_way
def test_a_large_body_comes_in_pieces(feed: Any) -> None:
    decoder = server(Limits(piece_from=4))
    cut = samples.frame(3, 1, b"he") + samples.HEARTBEAT + samples.frame(3, 1, b"llo")
    items = plain(feed(decoder, samples.PUBLISH + samples.HEADER + cut + samples.ACK))
    assert items == [
        (Kind.BODY_START, 1, (PUBLISH, 1, ARGS), PROPERTIES, 5),
        (Kind.BODY_PIECE, 1, b"he"),
        (HEARTBEAT, 0),
        (Kind.BODY_PIECE, 1, b"llo"),
        (Kind.BODY_END, 1),
        (ACK, 1, 3, True),
    ]


def test_a_large_body_that_grows_beyond_its_size_fails() -> None:
    decoder = server(Limits(piece_from=4))
    items = decoder.receive(samples.PUBLISH + samples.HEADER + samples.frame(3, 1, b"hello!"))
    assert items[-1][0] is FAILURE


def test_what_is_gathered_over_all_channels_is_bounded() -> None:
    # Given room for one unfinished message
    decoder = server(Limits(buffer_max=100))
    first = samples.PUBLISH + content_frames(1, BasicProperties.of(), bytes(60), 0)[:22]
    second = method_frame(2, TxSelect()) + first.replace(b"\0\x01\0\0\0", b"\0\x02\0\0\0")
    # When a second one is begun beside it
    assert decoder.receive(first) == []
    items = decoder.receive(second)
    # Then the second comes in pieces
    assert [item[0] for item in items] == [METHOD, Kind.BODY_START]


def test_an_empty_body_never_comes_in_pieces() -> None:
    # Given no room beside an unfinished message
    decoder = server(Limits(buffer_max=100))
    decoder.receive(samples.PUBLISH + content_frames(1, BasicProperties.of(), bytes(60), 0)[:22])
    # When one without a body comes on another channel, header and method in reads of their own
    empty = samples.PUBLISH + content_frames(1, BasicProperties.of(), b"", 0)
    empty = method_frame(2, TxSelect()) + empty.replace(b"\0\x01\0\0\0", b"\0\x02\0\0\0")
    items = decoder.receive(empty[:-22]) + decoder.receive(empty[-22:])
    # Then it is whole
    assert [item[0] for item in items] == [METHOD, PUBLISH]


def test_one_byte_frames_do_not_pile_up() -> None:
    decoder = server()
    header = samples.frame(2, 1, b"\0\x3c\0\0" + (60_000).to_bytes(8, "big") + b"\0\0")
    (item,) = decoder.receive(samples.PUBLISH + header + samples.frame(3, 1, b"x") * 60_000)
    assert item[0] is PUBLISH
    assert len(item[4]) == 22 + 60_000 + 8


def test_two_gibibytes_pass_in_bounded_memory() -> None:
    decoder = server(Limits())
    size = 2 << 30
    piece = samples.frame(3, 1, bytes(131_064))
    header = samples.frame(2, 1, b"\0\x3c\0\0" + size.to_bytes(8, "big") + b"\0\0")
    decoder.receive(samples.PUBLISH + header)
    for _ in range(50):
        (item,) = decoder.receive(piece)
        assert item[0] is Kind.BODY_PIECE
    assert ", 0 bytes reserved], 0 bytes kept" in repr(decoder).replace(">", "]")


def test_a_frame_may_be_as_large_as_tuned_and_eight_bytes_more() -> None:
    decoder = server()
    decoder.tune(frame_max=4096, channel_max=1)
    header = samples.frame(2, 1, b"\0\x3c\0\0" + (8192).to_bytes(8, "big") + b"\0\0")
    assert decoder.receive(samples.PUBLISH + header + samples.frame(3, 1, bytes(4096))) == []
    (item,) = decoder.receive(b"\x03\0\x01\0\0\x10\x01\0")
    assert item[0] is FAILURE


def test_a_body_above_the_hot_loops_size_is_taken_all_the_same() -> None:
    decoder = server(Limits(piece_from=40))
    decoder.receive(samples.ACK)
    frames = content_frames(1, BasicProperties.of(), bytes(39), 0)
    ((_, _, _, _, got, size),) = decoder.receive(samples.PUBLISH + frames)  # type: ignore[misc]
    assert (got, size) == (frames, 39)


@pytest.mark.parametrize("cut", [3, 40, 60, 70, 5_000, 10_050])
def test_a_frame_that_was_cut_is_joined_without_what_follows_it(cut: int) -> None:
    # Given a large message, then small ones, cut somewhere in the large one, and again at its last byte
    large = samples.PUBLISH + content_frames(1, BasicProperties.of(), b"x" * 10_000, 131_072)
    small = (samples.PUBLISH + FRAMES) * 3
    decoder = server()
    items = [*decoder.receive(large[:cut]), *decoder.receive(large[cut:-1])]
    assert items == []
    # When its last byte comes with those behind it, the last of them cut too
    items = [*decoder.receive(large[-1:] + small[:-1]), *decoder.receive(small[-1:])]
    # Then each is what it was
    assert [body_of(item[4]) for item in items] == [b"x" * 10_000, *[b"hello"] * 3]  # type: ignore[arg-type, misc]


def test_a_large_frame_that_was_cut_and_ends_wrongly_is_the_last() -> None:
    large = samples.PUBLISH + content_frames(1, BasicProperties.of(), b"x" * 10_000, 131_072)
    decoder = server()
    assert decoder.receive(large[:5_000]) == []
    items = decoder.receive(large[5_000:-1] + b"\0" + samples.PUBLISH + FRAMES)
    assert [item[0] for item in items] == [FAILURE]
    assert decoder.receive(samples.PUBLISH + FRAMES) == []


def test_channels_above_channel_max_fail_after_tuning() -> None:
    decoder = server()
    decoder.tune(frame_max=0, channel_max=1)
    assert decoder.receive(method_frame(2, TxSelect()))[0][0] is FAILURE


# Properties.


def published(rng: random.Random, out: list[bytes]) -> tuple[str, str, bytes]:
    encoder = PublishEncoder(rng.choice((1, 2)), 4096)
    route = PublishArgs("ex", f"key{rng.randrange(3)}", mandatory=rng.random() < 0.5)
    body = bytes(rng.randrange(0, 9000) if rng.random() < 0.2 else rng.randrange(3))
    encoder.publish(out, route, BasicProperties.of(priority=rng.randrange(3)), body)
    return route.exchange, route.routing_key, body


@given(seed=st.integers(0, 2**32), cuts=st.lists(st.integers(1, 5000), min_size=1, max_size=50))
def test_however_it_is_cut_the_messages_are_the_same(seed: int, cuts: list[int]) -> None:
    rng, out = random.Random(seed), list[bytes]()
    sent = [published(rng, out) for _ in range(20)]
    data, decoder, got, at = b"".join(out), server(), [], 0
    while at < len(data):
        size = rng.choice(cuts)
        got += decoder.receive(data[at : at + size])
        at += size
    assert [(item[2][0], item[2][1], body_of(item[4])) for item in got if item[0] is PUBLISH] == sent


@given(seed=st.integers(0, 2**32), cut=st.integers(1, 4000))
def test_what_a_broker_delivers_its_client_receives(seed: int, cut: int) -> None:
    rng, out = random.Random(seed), list[bytes]()
    encoder = DeliverEncoder(3, "consumer", 4096)
    sent = [(tag, bytes(rng.randrange(0, 9000) if rng.random() < 0.2 else 2)) for tag in range(20)]
    for tag, body in sent:
        frames = content_frames(rng.choice((1, 3)), BasicProperties.of(), body, 131_072)
        encoder.deliver(out, tag, PublishArgs("ex", "key"), frames, redelivered=tag % 2 == 0)
    data, decoder = b"".join(out), ClientDecoder(Limits(frame_max=4096))
    items = [item for at in range(0, len(data), cut) for item in decoder.receive(data[at : at + cut])]
    assert [(item[3], body_of(item[5])) for item in items if item[0] is DELIVER] == sent
    assert all(item[2] == ("consumer", item[3] % 2 == 0, "ex", "key") for item in items if item[0] is DELIVER)


def stream() -> bytes:
    """A little of everything a client may say."""
    cases = b"".join(case.raw for case in METHOD_CASES if case.method.to & Role.SERVER)
    return cases + b"".join(raw for _, raw, _ in SERVER_CASES)


mutations = st.lists(
    st.tuples(
        st.sampled_from(["flip", "cut", "insert"]), st.integers(0, 10_000), st.binary(min_size=1, max_size=4)
    ),
    min_size=1,
    max_size=5,
)


@given(changes=mutations, cut=st.integers(1, 300), is_server=st.booleans())
def test_mutated_bytes_never_raise(changes: list[tuple[str, int, bytes]], cut: int, is_server: bool) -> None:  # noqa: FBT001
    data = bytearray(stream() if is_server else b"".join(raw for _, raw, _ in CLIENT_CASES))
    for kind, place, octets in changes:
        at = place % len(data)
        end = at if kind == "insert" else at + len(octets)
        data[at:end] = b"" if kind == "cut" else octets
    decoder = server() if is_server else ClientDecoder()
    items = [item for at in range(0, len(data), cut) for item in decoder.receive(bytes(data[at : at + cut]))]
    connection_failures = [item for item in items if item[0] is FAILURE and not item[1]]
    assert len(connection_failures) <= 1
    for item in items:
        repr(item)


@given(noise=st.binary(max_size=300))
def test_noise_never_raises(noise: bytes) -> None:
    for decoder in (ServerDecoder(), server(), ClientDecoder()):
        decoder.receive(noise)
