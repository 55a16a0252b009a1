"""How a connection is opened and closed, both roles (AMQP 0-9-1 §2.2.4), without a socket.

Feed it the decoder's items of channel 0, do what the event it returns asks, and send `data_to_send()`. What
may happen when is the table `TRANSITIONS` of each role; a missing pair is a Failure. It does not know users:
it hands out what the peer claims and is told yes or no.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum, auto
from typing import TYPE_CHECKING, ClassVar

from penstock.wire.amqp.constants import PROTOCOL_HEADER, ReplyCode, clipped
from penstock.wire.amqp.encoder import method_frame
from penstock.wire.amqp.errors import Malformed
from penstock.wire.amqp.items import FAILURE, HEARTBEAT, METHOD, REFUSED, Failure
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
from penstock.wire.amqp.sasl import read_response
from penstock.wire.amqp.tuning import Tuning

if TYPE_CHECKING:
    from collections.abc import Mapping

    from penstock.wire.amqp.items import Item
    from penstock.wire.amqp.sasl import Claim
    from penstock.wire.amqp.table import Table

__all__ = [
    "Admission",
    "Challenge",
    "ClientHandshake",
    "Ended",
    "Opened",
    "ServerHandshake",
    "Stage",
]


class Stage(Enum):
    """How far a connection is; a name says what is awaited."""

    GREETING = auto()
    #: Start, or its ok.
    STARTING = auto()
    #: Our own verdict on the claim.
    JUDGING = auto()
    #: The peer's answer to a challenge.
    SECURING = auto()
    #: Our own answer to the peer's challenge.
    ANSWERING = auto()
    TUNING = auto()
    OPENING = auto()
    #: Our own verdict on the virtual host.
    ADMITTING = auto()
    OPEN = auto()
    CLOSING = auto()
    CLOSED = auto()


@dataclass(frozen=True, slots=True)
class Admission:
    """Server: the client asks for this virtual host. Answer with `admit` or `close`."""

    virtual_host: str


@dataclass(frozen=True, slots=True)
class Challenge:
    """Client: the server asks once more. Answer with `answer`."""

    challenge: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class Opened:
    """Client: the connection is open."""

    tuning: Tuning
    server_properties: Table


@dataclass(frozen=True, slots=True)
class Ended:
    """The connection is over; send what is to be sent and close the socket. Code 0 if nobody gave one."""

    code: int
    text: str


class _Handshake:
    """What both roles share: stage, output, and the farewell."""

    __slots__ = ("_out", "stage")

    TRANSITIONS: ClassVar[dict[tuple[Stage, str], Stage]]

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self._out: list[bytes] = []

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.stage.name}>"

    def data_to_send(self) -> bytes:
        """What is to be written now; asked again, nothing."""
        data = b"".join(self._out)
        self._out.clear()
        return data

    def receive(self, item: Item) -> Claim | Tuning | Admission | Challenge | Opened | Ended | Failure | None:
        """Takes an item of channel 0; what it asks of you."""
        if self.stage is Stage.CLOSED or item[0] is HEARTBEAT:
            return None
        if item[0] is REFUSED:
            return self._refused(item[2])
        if item[0] is FAILURE:
            return self._broken(item[2])
        return self._advance(item)

    def close(self, code: ReplyCode, text: str, class_id: int = 0, method_id: int = 0) -> None:
        """Says farewell; `Ended` comes when the peer has heard it."""
        self._send(ConnectionClose(code, clipped(text), class_id, method_id))
        self.stage = Stage.CLOSING

    def _advance(
        self, item: Item
    ) -> Claim | Tuning | Admission | Challenge | Opened | Ended | Failure | None:
        method = item[2] if item[0] is METHOD else None
        name = method.name if method else item[0].name.lower()
        if name == ConnectionClose.name or self.stage is Stage.CLOSING:
            return self._farewell(method)
        following = self.TRANSITIONS.get((self.stage, name))
        if following is None:
            return self._fail(ReplyCode.COMMAND_INVALID, f"{name} while {self.stage.name.lower()}", method)
        self.stage = following
        return self._took(method)

    def _took(
        self, method: Method | None
    ) -> Claim | Tuning | Admission | Challenge | Opened | Failure | None:
        """What a legal method, or the greeting, asks of us."""
        raise NotImplementedError

    def _refused(self, header: bytes) -> Ended:
        self.stage = Stage.CLOSED
        return Ended(0, f"the peer does not speak AMQP 0-9-1 ({header!r})")

    def _decide(self, verdict: str) -> None:
        """Moves on by a decision of our own."""
        following = self.TRANSITIONS.get((self.stage, verdict))
        if following is None:
            raise RuntimeError(f"{verdict} while {self.stage.name.lower()}")
        self.stage = following

    def _send(self, method: Method) -> None:
        self._out.append(method_frame(0, method))

    def _farewell(self, method: Method | None) -> Ended | None:
        """Close is answered at any time; while closing, all but close and its ok is ignored."""
        if isinstance(method, ConnectionClose):
            self._send(ConnectionCloseOk())
            self.stage = Stage.CLOSED
            return Ended(method.reply_code, method.reply_text)
        if isinstance(method, ConnectionCloseOk):
            self.stage = Stage.CLOSED
            return Ended(ReplyCode.SUCCESS, "closed")
        return None

    def _fail(self, code: ReplyCode, detail: str, method: Method | None) -> Failure:
        ids = divmod(method.id, 1 << 16) if method else (0, 0)
        return self._broken(Failure(code, detail, 0, *ids))

    def _broken(self, failure: Failure) -> Failure:
        """The peer broke the standard: tells it so."""
        self.close(failure.code, failure.code.text(failure.detail), failure.class_id, failure.method_id)
        return failure


class ServerHandshake(_Handshake):
    """The server's side: `receive` gives a Claim, a Tuning, an Admission, in this order.

    Answer the Claim with `accept`, `challenge` or `refuse`, the Admission with `admit` or `close`.
    """

    __slots__ = ("_client_properties", "_mechanism", "_mechanisms", "_offer", "_server_properties")

    TRANSITIONS: ClassVar = {
        (Stage.GREETING, "greeting"): Stage.STARTING,
        (Stage.STARTING, "connection.start-ok"): Stage.JUDGING,
        (Stage.JUDGING, "challenge"): Stage.SECURING,
        (Stage.SECURING, "connection.secure-ok"): Stage.JUDGING,
        (Stage.JUDGING, "accept"): Stage.TUNING,
        (Stage.JUDGING, "refuse"): Stage.CLOSED,
        (Stage.TUNING, "connection.tune-ok"): Stage.OPENING,
        (Stage.OPENING, "connection.open"): Stage.ADMITTING,
        (Stage.ADMITTING, "admit"): Stage.OPEN,
    }

    def __init__(self, server_properties: Table, mechanisms: tuple[str, ...], offer: Tuning) -> None:
        super().__init__(Stage.GREETING)
        self._server_properties = server_properties
        self._mechanisms = mechanisms
        self._offer = offer
        self._mechanism = ""
        self._client_properties: Table = {}

    # What we decide.

    def accept(self) -> None:
        """The claim is true: proposes the limits."""
        self._decide("accept")
        self._send(ConnectionTune(self._offer.channel_max, self._offer.frame_max, self._offer.heartbeat))

    def challenge(self, challenge: bytes) -> None:
        """The mechanism needs one more answer; another Claim will come."""
        self._decide("challenge")
        self._send(ConnectionSecure(challenge))

    def refuse(self, text: str) -> None:
        """The claim is not true. Says so only to clients that can hear it; then close the socket.

        https://www.rabbitmq.com/docs/auth-notification: others expect the socket to close at once.
        """
        self._decide("refuse")
        capabilities = self._client_properties.get("capabilities")
        if isinstance(capabilities, dict) and capabilities.get("authentication_failure_close") is True:
            self.close(ReplyCode.ACCESS_REFUSED, ReplyCode.ACCESS_REFUSED.text(text))

    def admit(self) -> None:
        """The virtual host is there and allowed: the connection is open."""
        self._decide("admit")
        self._send(ConnectionOpenOk())

    # What the peer says.

    def _refused(self, header: bytes) -> Ended:
        self._out.append(header)
        self.stage = Stage.CLOSED
        return Ended(0, "the client does not speak AMQP 0-9-1")

    def _took(self, method: Method | None) -> Claim | Tuning | Admission | Failure | None:
        match method:
            case ConnectionStartOk():
                return self._claimed(method)
            case ConnectionSecureOk():
                return self._read_claim(method.response, method)
            case ConnectionTuneOk():
                return self._tuned(method)
            case ConnectionOpen():
                return Admission(method.virtual_host)
        mechanisms = " ".join(self._mechanisms).encode()
        self._send(ConnectionStart(0, 9, self._server_properties, mechanisms))
        return None

    def _claimed(self, start_ok: ConnectionStartOk) -> Claim | Failure:
        if start_ok.mechanism not in self._mechanisms:
            detail = f"unknown authentication mechanism '{start_ok.mechanism}'"
            return self._fail(ReplyCode.COMMAND_INVALID, detail, start_ok)
        self._mechanism = start_ok.mechanism
        self._client_properties = start_ok.client_properties
        return self._read_claim(start_ok.response, start_ok)

    def _read_claim(self, response: bytes, method: Method) -> Claim | Failure:
        try:
            return read_response(self._mechanism, response, self._client_properties)
        except Malformed as exc:
            return self._fail(ReplyCode.SYNTAX_ERROR, str(exc), method)

    def _tuned(self, tune_ok: ConnectionTuneOk) -> Tuning | Failure:
        tuning = Tuning(
            channel_max=tune_ok.channel_max, frame_max=tune_ok.frame_max, heartbeat=tune_ok.heartbeat
        )
        refusal = self._offer.refusal(tuning)
        return self._fail(ReplyCode.NOT_ALLOWED, refusal, tune_ok) if refusal else tuning


class ClientHandshake(_Handshake):
    """The client's side: runs through by itself; `receive` gives Opened or Ended, rarely a Challenge."""

    __slots__ = (
        "_client_properties",
        "_responses",
        "_server_properties",
        "_tuning",
        "_virtual_host",
        "_wanted",
    )

    TRANSITIONS: ClassVar = {
        (Stage.STARTING, "connection.start"): Stage.TUNING,
        (Stage.TUNING, "connection.secure"): Stage.ANSWERING,
        (Stage.ANSWERING, "answer"): Stage.TUNING,
        (Stage.TUNING, "connection.tune"): Stage.OPENING,
        (Stage.OPENING, "connection.open-ok"): Stage.OPEN,
    }

    def __init__(
        self, responses: Mapping[str, bytes], virtual_host: str, client_properties: Table, wanted: Tuning
    ) -> None:
        """Responses by mechanism, the preferred first."""
        super().__init__(Stage.STARTING)
        self._responses = responses
        self._virtual_host = virtual_host
        self._client_properties = client_properties
        self._wanted = self._tuning = wanted
        self._server_properties: Table = {}
        self._out.append(PROTOCOL_HEADER)

    def answer(self, response: bytes) -> None:
        """Answers a Challenge."""
        self._decide("answer")
        self._send(ConnectionSecureOk(response))

    def _took(self, method: Method | None) -> Challenge | Opened | Failure | None:
        match method:
            case ConnectionStart():
                return self._started(method)
            case ConnectionSecure():
                return Challenge(method.challenge)
            case ConnectionTune():
                self._tuning = tuning = self._wanted.agreed(method)
                self._send(ConnectionTuneOk(tuning.channel_max, tuning.frame_max, tuning.heartbeat))
                self._send(ConnectionOpen(self._virtual_host))
                return None
        return Opened(self._tuning, self._server_properties)

    def _started(self, start: ConnectionStart) -> Failure | None:
        self._server_properties = start.server_properties
        offered = start.mechanisms.decode("utf-8", "replace").split()
        for mechanism, response in self._responses.items():
            if mechanism in offered:
                self._send(ConnectionStartOk(self._client_properties, mechanism, response))
                return None
        return self._fail(ReplyCode.NOT_IMPLEMENTED, f"no mechanism of ours among {offered}", start)
