"""Bad messages of every kind end in the dead letters with a reason, and the consumer goes on."""

from __future__ import annotations

import asyncio
import uuid
from contextlib import asynccontextmanager
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
import pytest
from sqlalchemy.ext.asyncio import create_async_engine

from penstock.client import ClientSettings, Outgoing, connect
from penstock.errors import PublishRefused
from penstock.messaging.amqp import AmqpBroker
from penstock.messaging.application import Application
from penstock.messaging.dead_letters import DeadLetterKeeper, DeadLetters, DeadLetterStore
from penstock.messaging.embedded import EmbeddedBroker
from penstock.messaging.events import event
from penstock.messaging.subscriptions import Immediate
from penstock.outbox import Inbox, idempotent
from penstock.wire.amqp import BasicProperties

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Mapping
    from pathlib import Path

    from penstock.messaging.dead_letters import DeadLetter
    from penstock.messaging.subscriptions import Context

#: Seconds after which something must be wrong.
SOON_S = 60.0
#: Bytes of a body that are too much for the client.
TOO_LARGE = 1024 * 1024


@event("Bill")
class Bill(msgspec.Struct):
    """What a good message has in it."""

    number: int


@event("Slow")
class Slow(msgspec.Struct):
    """One whose handler takes its time."""

    number: int


class Bad(NamedTuple):
    """A message that nobody can handle, and what its dead letter must say."""

    body: bytes = b'{"number": 1}'
    properties: Mapping[str, Any] = MappingProxyType({})
    reason: str = "the error is persistent"
    error: str = ""


def of(headers: dict[str, Any], **properties: Any) -> dict[str, Any]:
    return {"headers": headers, **properties}


#: An entry as brokers write it.
DEATH = {
    "queue": "somewhere",
    "reason": "rejected",
    "exchange": "",
    "routing-keys": ["k"],
    "count": 3,
}

#: What differs from a good message: its type is Bill, its content type JSON, and it has an id.
BAD: dict[str, Bad] = {
    "unknown type": Bad(properties={"type": "Nobody"}, error="event 'Nobody' is not declared here"),
    "no type": Bad(properties={"type": None}, error="the message has no type"),
    "unknown version": Bad(properties=of({"x-penstock-type-version": 9}), error="known here in version 1"),
    "invalid content": Bad(b'{"number": "many"}', error="Expected `int`, got `str` - at `$.number`"),
    "content missing": Bad(b"{}", error="missing required field `number`"),
    "not JSON": Bad(b"\xff\x00<bill/>", error="JSON is malformed"),
    "nothing": Bad(b"", error="Input data was truncated"),
    "another content type": Bad(properties={"content_type": "text/xml"}, error="this message is text/xml"),
    "no id": Bad(properties={"message_id": None}, error="a message without an id"),
    "no properties": Bad(
        properties={"message_id": None, "type": None, "content_type": None, "delivery_mode": None},
        error="the message has no type",
    ),
    "a handler that cannot": Bad(b'{"number": 13}', reason="tried 3 times", error="unlucky"),
    "large headers": Bad(b"?", of({f"h{number}": "x" * 1000 for number in range(100)}), error="malformed"),
    # Its copy has no room for the trace.
    "headers almost as large as a frame": Bad(b"?", of({"h": "x" * 130_000}), error="malformed"),
    # Its copy has no room for anything: the broker moves it, and the frame is too large then.
    "headers as large as a frame": Bad(
        b"?", of({"h": "x" * 130_900}), reason="rejected", error="a consumer rejected it without saying why"
    ),
    "odd headers": Bad(
        b"?",
        of({"b": b"\xff\x00", "n": None, "t": {"t": {"t": [1, 2.5, True]}}, "long": 2**62}),
        error="malformed",
    ),
    "forged attempts": Bad(b"?", of({"x-penstock-attempts": "many"}), error="malformed"),
    "forged past": Bad(
        b"?",
        of(
            {
                "x-penstock-attempts": 2**62,
                "x-penstock-first-failure": "nan",
                "x-penstock-consumer": "me",
                "x-penstock-queue": "mine",
                "x-penstock-reason": "because",
                "x-penstock-redriven": -1,
            }
        ),
        error="malformed",
    ),
    "forged deaths": Bad(b"?", of({"x-death": [DEATH], "x-first-death-queue": "me"}), error="malformed"),
    "forged nonsense": Bad(b"?", of({"x-death": "often", "x-delivery-count": "x"}), error="malformed"),
    "too large": Bad(
        b"x" * (TOO_LARGE + 1), reason="rejected", error="a consumer rejected it without saying why"
    ),
}


class Desk:
    """An application with a keeper of dead letters, on some broker."""

    def __init__(self, broker: AmqpBroker, folder: Path) -> None:
        self.broker = broker
        self.name = f"desk-{uuid.uuid4().hex[:8]}"
        self.handled: list[int] = []
        self.is_slow = asyncio.Event()
        self.may_end = asyncio.Event()
        self.store = DeadLetterStore(f"sqlite:///{folder / 'dead-letters.db'}")
        self.engine = create_async_engine(f"sqlite+aiosqlite:///{folder / 'desk.db'}")
        self.inbox = Inbox()
        self.app = Application(self.name, broker=broker)
        self.app.attach(DeadLetterKeeper(self.store, f"{self.name}.dead-letters"))
        once = idempotent(self.engine, inbox=self.inbox)
        self.app.consumer(Bill, name="Bills", retry=Immediate(attempts=2))(once(self._pay))
        for overflow in ("drop-head", "reject-publish"):
            arguments = {"x-max-length": 1, "x-overflow": overflow}
            self.app.consumer(Slow, name=overflow, pool=1, prefetch=1, arguments=arguments)(self._dawdle)

    async def _pay(self, bill: Bill, _: Context, _connection: object) -> None:
        if bill.number == 13:
            raise ValueError("unlucky")
        self.handled.append(bill.number)

    async def _dawdle(self, slow: Slow) -> None:
        self.is_slow.set()
        await self.may_end.wait()
        self.handled.append(slow.number)

    async def send(self, queue: str, body: bytes, **properties: Any) -> str:
        """Publish straight to a queue, as another program might; the message's id."""
        usual: dict[str, Any] = {
            "message_id": uuid.uuid4().hex,
            "type": "Bill",
            "content_type": "application/json",
            "delivery_mode": 2,
        }
        sent = {name: value for name, value in (usual | properties).items() if value is not None}
        outgoing = Outgoing("", f"{self.name}.{queue}", body, BasicProperties.of(**sent))
        await self.broker.client.publish(outgoing)
        return str(sent.get("message_id", ""))

    async def letters(self, count: int) -> list[DeadLetter]:
        """So many dead letters, waited for; there are no more."""
        letters = DeadLetters(self.store)
        async with asyncio.timeout(SOON_S):
            while len(found := await letters.find()) < count:  # noqa: ASYNC110  the database does not tell
                await asyncio.sleep(0.01)
        assert len(found) == count
        return list(found)

    async def until(self, is_so: Callable[[], object]) -> None:
        async with asyncio.timeout(SOON_S):
            while not is_so():  # noqa: ASYNC110  anything may make it so
                await asyncio.sleep(0.01)


@asynccontextmanager
async def desk(url: str | None, folder: Path) -> AsyncIterator[Desk]:
    settings = ClientSettings(max_body=TOO_LARGE)
    if url is None:
        broker: AmqpBroker = await EmbeddedBroker.start(client=settings)
    else:
        broker = AmqpBroker(await connect(url, settings=settings))
    desk = Desk(broker, folder)
    try:
        async with desk.engine.begin() as connection:
            await connection.run_sync(desk.inbox.metadata.create_all)
        async with desk.app:
            yield desk
            desk.may_end.set()
        assert broker.client.counters.disconnected == 0
        queues = [*desk.app.topology().queues]
        assert [await broker.depth(queue.name) for queue in queues] == [0] * len(queues)
    finally:
        await desk.engine.dispose()
        desk.store.close()
        await broker.close()


@pytest.mark.parametrize("kind", list(BAD))
def test_a_message_that_nobody_can_handle(kind: str, mq_url: str | None, tmp_path: Path) -> None:
    bad = BAD[kind]

    async def story() -> None:
        async with desk(mq_url, tmp_path) as there:
            # Given a bad message, and a good one behind it
            sent = await there.send("Bills", bad.body, **bad.properties)
            await there.send("Bills", b'{"number": 7}')
            # Then the good one is handled
            await there.until(lambda: there.handled == [7])
            # And the bad one is kept, whole, with the consumer and the reason
            [letter] = await there.letters(1)
            assert letter.body == bad.body
            assert letter.message_id == sent or not sent
            assert letter.message_id
            assert letter.consumer == letter.queue == f"{there.name}.Bills"
            assert letter.reason == bad.reason
            assert bad.error in letter.error
            assert 1 <= letter.attempts <= 2**31
            for name, value in bad.properties.get("headers", {}).items():
                if not name.startswith("x-"):
                    assert letter.headers[name] == value

    asyncio.run(story())


def test_a_message_that_waits_too_long(mq_url: str | None, tmp_path: Path) -> None:
    async def story() -> None:
        async with desk(mq_url, tmp_path) as there:
            await there.send("drop-head", b'{"number": 1}', type="Slow")
            await there.is_slow.wait()
            await there.send("drop-head", b'{"number": 2}', type="Slow", expiration="1")
            [letter] = await there.letters(1)
            assert (letter.body, letter.reason) == (b'{"number": 2}', "expired")
            assert letter.error == "it waited longer than it may"
            assert letter.queue == f"{there.name}.drop-head"

    asyncio.run(story())


def test_a_message_that_finds_its_queue_full(mq_url: str | None, tmp_path: Path) -> None:
    async def story() -> None:
        async with desk(mq_url, tmp_path) as there:
            for queue in ("drop-head", "reject-publish"):
                there.is_slow.clear()
                await there.send(queue, b'{"number": 1}', type="Slow")
                await there.is_slow.wait()
                await there.send(queue, b'{"number": 2}', type="Slow")
            # The oldest makes room, as a dead letter
            await there.send("drop-head", b'{"number": 3}', type="Slow")
            [letter] = await there.letters(1)
            assert (letter.body, letter.reason) == (b'{"number": 2}', "maxlen")
            assert letter.error == "its queue was full"
            # Or the newest is refused, and whoever publishes is told
            with pytest.raises(PublishRefused):
                await there.send("reject-publish", b'{"number": 3}', type="Slow")
            there.may_end.set()
            await there.until(lambda: sorted(there.handled) == [1, 1, 2, 3])

    asyncio.run(story())
