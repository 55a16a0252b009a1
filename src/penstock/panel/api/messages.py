"""Messages: published to an exchange, and got from a queue. To look without taking, see peeking.py."""

from __future__ import annotations

import asyncio
from base64 import b64decode
from binascii import Error as BadBase64
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

import msgspec

from penstock.errors import ConstraintBroken
from penstock.panel.api.bindings import DEFAULT
from penstock.panel.api.changing import desk_in
from penstock.panel.api.contents import Encoding, message_told, size_told
from penstock.panel.api.slices import written
from penstock.panel.replies import ApiFault, Reply, json_reply
from penstock.server.http.durable import durable
from penstock.server.http.publishing import Sender, publish_one
from penstock.server.operations import Operation
from penstock.wire.amqp import BasicProperties

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.panel.visit import Visit
    from penstock.wiring import Queue
    from penstock.wiring.ledger import Ledger

__all__ = ["GetBody", "PublishBody", "get_messages", "publish"]

#: Messages, and bytes of payloads and headers, in one answer. Who asks for more is given fewer, and asks on.
COUNT_MOST: Final = 10_000
BYTES_MOST: Final = 16 * 1024 * 1024
#: Messages that are got in one go, which takes a millisecond or two.
SLICE: Final = 50

AckMode = Literal["ack_requeue_true", "ack_requeue_false", "reject_requeue_true", "reject_requeue_false"]


Octet = Annotated[int, msgspec.Meta(ge=0, le=255)]


class Properties(msgspec.Struct, omit_defaults=True, forbid_unknown_fields=True):
    """AMQP's properties; a time is a number of seconds."""

    content_type: str | None = None
    content_encoding: str | None = None
    headers: dict[str, Any] | None = None
    delivery_mode: Octet | None = None
    priority: Octet | None = None
    correlation_id: str | None = None
    reply_to: str | None = None
    expiration: str | None = None
    message_id: str | None = None
    timestamp: int | None = None
    type: str | None = None
    user_id: str | None = None
    app_id: str | None = None
    cluster_id: str | None = None


class PublishBody(msgspec.Struct):
    """What is published."""

    routing_key: str
    payload: str
    payload_encoding: Literal["string", "base64"] = "string"
    #: PHP's clients write an empty object as a list.
    properties: Properties | list[Any] = []


class GetBody(msgspec.Struct):
    """What is got, and what becomes of it."""

    count: int = 1
    ackmode: AckMode | None = None
    #: What RabbitMQ called it before 3.7.
    requeue: bool = True
    encoding: Encoding = "auto"
    truncate: int | None = None


async def publish(visit: Visit, vhost: str, name: str) -> Reply:
    """Publish one message; whether a queue asked for it."""
    body: PublishBody = visit.body
    guard, front = visit.guard(vhost), visit.front
    if front.blocked is not None:
        raise ApiFault(503, f"the broker takes no publishes now: {front.blocked}")
    try:
        payload = b64decode(body.payload, validate=True) if body.payload_encoding == "base64" else None
    except BadBase64 as wrong:
        raise ApiFault(400, f"the payload is no base64: {wrong}") from wrong
    content = BasicProperties.of(**_properties(body.properties))
    exchange = "" if name == DEFAULT else name
    sender = Sender(front=front, host=visit.host(vhost), guard=guard, user=guard.user)
    data = body.payload.encode() if payload is None else payload
    published = await publish_one(sender, exchange, body.routing_key, content, data)
    await durable(visit.broker)
    if published.refused:
        raise ConstraintBroken("a queue that wants the message is full, and refuses newcomers")
    return json_reply({"routed": not published.unroutable})


def _properties(told: Properties | list[Any]) -> dict[str, Any]:
    properties: dict[str, Any] = msgspec.to_builtins(told) if isinstance(told, Properties) else {}
    if "timestamp" in properties:
        try:
            properties["timestamp"] = datetime.fromtimestamp(properties["timestamp"], UTC)
        except (ValueError, OverflowError, OSError) as wrong:
            raise ApiFault(400, f"timestamp is no time: {wrong}") from wrong
    return properties


async def get_messages(visit: Visit, vhost: str, name: str) -> Reply:
    """Take messages from the head of a queue, and put them back unless it is said otherwise."""
    body: GetBody = visit.body
    if not 0 < body.count <= COUNT_MOST or (body.truncate or 0) < 0:
        raise ApiFault(400, f"count is from 1 to {COUNT_MOST}, and truncate not negative")
    with desk_in(visit, vhost) as desk:
        desk.channel.check(Operation.GET, name)
        ledger = desk.channel.ledger
        told = await _got(visit, body, desk.queue(name), ledger)
        if ledger.unsettled:
            mode = body.ackmode or ("ack_requeue_true" if body.requeue else "ack_requeue_false")
            SETTLE[mode](ledger, visit.broker.now)
    await durable(visit.broker)
    return Reply(body=await written(told, lambda row: row))


async def _got(visit: Visit, body: GetBody, queue: Queue, ledger: Ledger) -> list[dict[str, Any]]:
    """What is told of messages at the head, no more than is wanted or fits; they are in hand from now on."""
    broker, size = visit.broker, 0
    told: list[dict[str, Any]] = []
    while len(told) < body.count and (got := queue.get(ledger, broker.now)) is not None:
        reference = got.references[0]
        size += size_told(reference.message, body.truncate)
        if size > BYTES_MOST:
            ledger.nack(got.first_tag, broker.now)
            break
        told.append(
            message_told(reference.message, encoding=body.encoding, truncate=body.truncate)
            | {"redelivered": reference.acquired > 1, "message_count": queue.ready}
        )
        if len(told) % SLICE == 0:
            await asyncio.sleep(0)
            broker.refresh()
    if size and not told:
        raise ApiFault(400, f"the message has more than {BYTES_MOST} bytes: say truncate")
    return told


def _all(ledger: Ledger) -> dict[str, Any]:
    return {"tag": ledger.last_tag, "up_to": True}


#: What becomes of what was got. RabbitMQ's words; "ack" and "reject" differ only for what does not come back.
SETTLE: Final[dict[str, Callable[[Ledger, float], object]]] = {
    "ack_requeue_true": lambda ledger, now: ledger.nack(now=now, **_all(ledger)),
    "ack_requeue_false": lambda ledger, _: ledger.ack(**_all(ledger)),
    "reject_requeue_true": lambda ledger, now: ledger.reject(now=now, requeue=True, **_all(ledger)),
    "reject_requeue_false": lambda ledger, now: ledger.reject(now=now, **_all(ledger)),
}
