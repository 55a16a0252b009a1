from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from penstock.wire.amqp.constants import PROTOCOL_HEADER, ReplyCode
from penstock.wire.amqp.decoder import ClientDecoder, ServerDecoder
from penstock.wire.amqp.encoder import HEARTBEAT_BYTES, method_frame
from penstock.wire.amqp.handshake import (
    Admission,
    Challenge,
    ClientHandshake,
    Ended,
    Opened,
    ServerHandshake,
    Stage,
    _Handshake,
)
from penstock.wire.amqp.items import GREETING, METHOD, REFUSED, Failure
from penstock.wire.amqp.methods import (
    ConnectionClose,
    ConnectionCloseOk,
    ConnectionOpen,
    ConnectionOpenOk,
    ConnectionSecure,
    ConnectionSecureOk,
    ConnectionStart,
    ConnectionStartOk,
    ConnectionTune,
    ConnectionTuneOk,
    Method,
)
from penstock.wire.amqp.sasl import Claim, amqplain_response, plain_response
from penstock.wire.amqp.tuning import Tuning

if TYPE_CHECKING:
    from penstock.wire.amqp.items import Item
    from penstock.wire.amqp.table import Table

OFFER = Tuning(channel_max=100, frame_max=131_072, heartbeat=60)
WANTED = Tuning(channel_max=0, frame_max=8192, heartbeat=30)
AGREED = Tuning(channel_max=100, frame_max=8192, heartbeat=30)
LOUD: Table = {"capabilities": {"authentication_failure_close": True}}


class Pair:
    """A client and a server wired together without a socket; what each is asked to do is kept."""

    def __init__(
        self, client_properties: Table | None = None, mechanisms: tuple[str, ...] = ("PLAIN",)
    ) -> None:
        self.server = ServerHandshake({"product": "Penstock"}, mechanisms, OFFER)
        responses = {"AMQPLAIN": amqplain_response("u", "p"), "PLAIN": plain_response("u", "p")}
        self.client = ClientHandshake(responses, "vhost", client_properties or {}, WANTED)
        self.server_decoder, self.client_decoder = ServerDecoder(), ClientDecoder()
        self.server_events: list[Any] = []
        self.client_events: list[Any] = []

    def run(self) -> None:
        """Carries bytes both ways until nobody has anything to say."""
        while True:
            to_server, to_client = self.client.data_to_send(), self.server.data_to_send()
            if not to_server and not to_client:
                return
            self.server_events += filter(
                None, map(self.server.receive, self.server_decoder.receive(to_server))
            )
            self.client_events += filter(
                None, map(self.client.receive, self.client_decoder.receive(to_client))
            )


def test_a_connection_is_opened() -> None:
    pair = Pair()
    # When the client connects
    pair.run()
    # Then the server is asked whether the claim is true
    (claim,) = pair.server_events
    assert claim == Claim("PLAIN", "u", "p", plain_response("u", "p"), {})
    # When it is
    pair.server.accept()
    pair.run()
    # Then both know the limits, and the server is asked for the virtual host
    assert pair.server_events[1:] == [AGREED, Admission("vhost")]
    # When that is there
    pair.server.admit()
    pair.run()
    # Then the connection is open
    assert pair.client_events == [Opened(AGREED, {"product": "Penstock"})]
    assert pair.server.stage is pair.client.stage is Stage.OPEN


@pytest.mark.parametrize("closer", ["server", "client"])
def test_an_open_connection_is_closed_by_either_end(closer: str) -> None:
    pair = Pair()
    pair.run()
    pair.server.accept()
    pair.run()
    pair.server.admit()
    pair.run()
    getattr(pair, closer).close(ReplyCode.SUCCESS, "bye")
    pair.run()
    assert pair.server.stage is pair.client.stage is Stage.CLOSED
    ended = {pair.server_events[-1], pair.client_events[-1]}
    assert ended == {Ended(200, "bye"), Ended(200, "closed")}


def test_both_may_close_at_once() -> None:
    pair = Pair()
    pair.run()
    pair.server.close(ReplyCode.CONNECTION_FORCED, "é" * 200)
    pair.client.close(ReplyCode.SUCCESS, "bye")
    pair.run()
    assert pair.server.stage is pair.client.stage is Stage.CLOSED


def test_the_mechanism_is_the_clients_first_that_the_server_has() -> None:
    pair = Pair(mechanisms=("PLAIN", "AMQPLAIN"))
    pair.run()
    assert pair.server_events[0].mechanism == "AMQPLAIN"


def test_without_a_common_mechanism_the_client_gives_up() -> None:
    pair = Pair(mechanisms=("EXTERNAL",))
    pair.run()
    (failure,) = (event for event in pair.client_events if isinstance(event, Failure))
    assert failure.code is ReplyCode.NOT_IMPLEMENTED
    assert pair.server.stage is Stage.CLOSED


def test_a_false_claim_is_refused_in_silence() -> None:
    pair = Pair()
    pair.run()
    pair.server.refuse("no such user")
    assert pair.server.data_to_send() == b""
    assert pair.server.stage is Stage.CLOSED


def test_a_client_that_can_hear_it_is_told() -> None:
    pair = Pair(LOUD)
    pair.run()
    pair.server.refuse("login was refused")
    pair.run()
    assert pair.client_events == [Ended(403, "ACCESS_REFUSED - login was refused")]
    assert pair.server.stage is Stage.CLOSED


def test_a_mechanism_may_ask_again() -> None:
    pair = Pair()
    pair.run()
    pair.server.challenge(b"and your second name?")
    pair.run()
    assert pair.client_events == [Challenge(b"and your second name?")]
    pair.client.answer(plain_response("u", "second"))
    pair.run()
    assert pair.server_events[1] == Claim("PLAIN", "u", "second", plain_response("u", "second"), {})
    pair.server.accept()
    pair.run()
    assert pair.server.stage is Stage.ADMITTING


def test_a_virtual_host_may_be_denied() -> None:
    pair = Pair()
    pair.run()
    pair.server.accept()
    pair.run()
    pair.server.close(ReplyCode.NOT_ALLOWED, "NOT_ALLOWED - vhost not found", 10, 40)
    pair.run()
    assert pair.client_events == [Ended(530, "NOT_ALLOWED - vhost not found")]


# One end alone, at the level of bytes: (name, what the client says, the failure's code).

START_OK = method_frame(0, ConnectionStartOk({}, "PLAIN", plain_response("u", "p")))
WRONG = [
    ("tune before start", method_frame(0, ConnectionTuneOk()), ReplyCode.COMMAND_INVALID),
    ("open before start", method_frame(0, ConnectionOpen()), ReplyCode.COMMAND_INVALID),
    ("start twice", START_OK + START_OK, ReplyCode.COMMAND_INVALID),
    ("mechanism not offered", method_frame(0, ConnectionStartOk({}, "NTLM", b"")), ReplyCode.COMMAND_INVALID),
    (
        "response that says nothing",
        method_frame(0, ConnectionStartOk({}, "PLAIN", b"")),
        ReplyCode.SYNTAX_ERROR,
    ),
    ("noise", b"\x09\0\0\0\0\0\0\xce", ReplyCode.FRAME_ERROR),
]


@pytest.mark.parametrize(("name", "raw", "code"), WRONG, ids=[row[0] for row in WRONG])
def test_what_may_not_be_said_then(name: str, raw: bytes, code: ReplyCode) -> None:
    server, decoder = ServerHandshake({}, ("PLAIN",), OFFER), ServerDecoder()
    events = [server.receive(item) for item in decoder.receive(PROTOCOL_HEADER + HEARTBEAT_BYTES + raw)]
    failure = events[-1]
    assert isinstance(failure, Failure)
    assert failure.code is code
    assert server.stage is Stage.CLOSING
    assert method_frame(0, failure.reply()[1]) in server.data_to_send()


def greeted(*methods: Method) -> tuple[ServerHandshake, Any]:
    server = ServerHandshake({}, ("PLAIN",), OFFER)
    server.receive((GREETING, 0))
    event = None
    for method in methods:
        event = server.receive((METHOD, 0, method))
        if isinstance(event, Claim):
            server.accept()
    return server, event


def test_a_client_may_not_settle_on_more_than_was_offered() -> None:
    start_ok = ConnectionStartOk({}, "PLAIN", plain_response("u", "p"))
    server, event = greeted(start_ok, ConnectionTuneOk(100, 1 << 20, 0))
    assert isinstance(event, Failure)
    assert event.code is ReplyCode.NOT_ALLOWED
    assert "frame_max" in event.detail
    # and while closing, whatever else it says is ignored
    assert server.receive((METHOD, 0, ConnectionOpen())) is None
    assert server.receive((METHOD, 0, ConnectionCloseOk())) == Ended(200, "closed")
    assert server.receive((METHOD, 0, ConnectionOpen())) is None


def test_an_unreadable_answer_to_a_challenge_fails() -> None:
    server = ServerHandshake({}, ("PLAIN",), OFFER)
    server.receive((GREETING, 0))
    server.receive((METHOD, 0, ConnectionStartOk({}, "PLAIN", plain_response("u", "p"))))
    server.challenge(b"?")
    assert isinstance(server.receive((METHOD, 0, ConnectionSecureOk(b"?"))), Failure)


def test_a_client_may_close_in_the_middle() -> None:
    server, event = greeted(ConnectionClose(200, "never mind", 0, 0))
    assert event == Ended(200, "never mind")
    assert server.data_to_send().endswith(method_frame(0, ConnectionCloseOk()))


def test_another_protocol_gets_our_header() -> None:
    server = ServerHandshake({}, ("PLAIN",), OFFER)
    (item,) = ServerDecoder().receive(b"GET / HTTP/1.1")
    assert isinstance(server.receive(item), Ended)
    assert server.data_to_send() == PROTOCOL_HEADER


def test_a_server_of_another_version_ends_the_clients_attempt() -> None:
    client = ClientHandshake({}, "/", {}, WANTED)
    assert client.data_to_send() == PROTOCOL_HEADER
    assert isinstance(client.receive((REFUSED, 0, b"AMQP\0\0\x08\0")), Ended)
    assert client.stage is Stage.CLOSED


def test_a_client_hears_out_of_turn() -> None:
    client = ClientHandshake({"PLAIN": b""}, "/", {}, WANTED)
    event = client.receive((METHOD, 0, ConnectionOpenOk()))
    assert isinstance(event, Failure)
    assert (event.class_id, event.method_id) == (10, 41)


@pytest.mark.parametrize("verdict", ["accept", "admit"])
def test_a_verdict_nobody_asked_for_is_the_callers_mistake(verdict: str) -> None:
    with pytest.raises(RuntimeError):
        getattr(ServerHandshake({}, ("PLAIN",), OFFER), verdict)()


def test_every_stage_can_be_reached_and_left() -> None:
    for role, first in ((ServerHandshake, Stage.GREETING), (ClientHandshake, Stage.STARTING)):
        reached = {first, *role.TRANSITIONS.values()}
        assert {stage for stage, _ in role.TRANSITIONS} <= reached
        assert Stage.OPEN in reached


def test_it_shows_its_stage() -> None:
    assert repr(ServerHandshake({}, (), OFFER)) == "<ServerHandshake GREETING>"


def test_the_base_answers_nothing() -> None:
    class Neither(_Handshake):
        TRANSITIONS = ServerHandshake.TRANSITIONS

    with pytest.raises(NotImplementedError):
        Neither(Stage.GREETING).receive((GREETING, 0))


def test_a_client_goes_through_by_itself() -> None:
    client = ClientHandshake({"PLAIN": b"secret"}, "v", {"a": 1}, WANTED)
    client.data_to_send()
    said: list[tuple[Item, bytes]] = [
        (
            (METHOD, 0, ConnectionStart(0, 9, {}, b"X PLAIN")),
            method_frame(0, ConnectionStartOk({"a": 1}, "PLAIN", b"secret")),
        ),
        ((METHOD, 0, ConnectionSecure(b"?")), b""),
    ]
    for item, answer in said:
        client.receive(item)
        assert client.data_to_send() == answer
    client.answer(b"!")
    assert client.data_to_send() == method_frame(0, ConnectionSecureOk(b"!"))
    client.receive((METHOD, 0, ConnectionTune(0, 0, 0)))
    assert client.data_to_send() == method_frame(0, ConnectionTuneOk(0, 8192, 30)) + method_frame(
        0, ConnectionOpen("v")
    )
