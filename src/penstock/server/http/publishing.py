"""The verb that publishes a table: an Arrow stream in, and what became of its rows out.

All rows are looked at before the first is published: a request that is refused has published nothing. The
answer comes when what was published is on disk, as a confirm does.
"""

from __future__ import annotations

import asyncio
import io
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from penstock.errors import NotPermitted, PenstockError, UnknownProxy
from penstock.server.amqp.errors import ChannelFault
from penstock.server.amqp.headers import with_entries
from penstock.server.amqp.message import AmqpMessage, LargeMessage
from penstock.server.amqp.publishing import REPLY_TO, TOPIC
from penstock.server.amqp.terms import BCC, read_terms
from penstock.server.http.durable import durable
from penstock.server.http.replies import HttpFault, fault_of, json_reply
from penstock.server.http.warming import warm_up
from penstock.server.operations import Operation
from penstock.wire.amqp import CannotEncode, Malformed, PublishArgs, content_frames
from penstock.wire.amqp.content import header_frame
from penstock.wire.arrow import is_compressed, read_outgoing, read_stream

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from penstock.broker.host import VirtualHost
    from penstock.server.amqp.front import AmqpFront
    from penstock.server.guard import Guard
    from penstock.server.http.replies import Reply
    from penstock.server.http.visit import Visit
    from penstock.wire.amqp import BasicProperties
    from penstock.wire.arrow import OutgoingRows
    from penstock.wiring import Published, Terms

__all__ = ["Sender", "publish", "publish_one"]

#: Messages that are looked at, or published, in one go; others on the loop wait for a few milliseconds.
SLICE: Final = 512
#: Messages of one request: of the smallest, four million would fit its bytes.
ROWS_MOST: Final = 65_536
#: The channel that stands in the frames of a message that came by none.
CHANNEL: Final = 1


class _Row(NamedTuple):
    number: int
    route: PublishArgs
    content: BasicProperties
    terms: Terms
    body: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Sender:
    """Who publishes, and where; a visit tells as much."""

    front: AmqpFront
    host: VirtualHost
    guard: Guard
    user: str


async def publish_one(
    sender: Sender, exchange: str, key: str, content: BasicProperties, body: bytes
) -> Published:
    """Publish one message; it is not on disk yet.

    Raises:
        PenstockError: it cannot be, or may not.
    """
    check = _Check(sender)
    route = check.route(exchange, key)
    content, terms = check.content(content)
    check.size(body)
    message = await _message(sender, _Row(0, route, content, terms, body))
    broker = sender.front.broker
    broker.refresh()
    return sender.host.wiring.publish(exchange, [message], broker.now)


async def publish(visit: Visit) -> Reply:
    """Publish all rows, in order."""
    front = visit.front
    if front.blocked is not None:
        raise HttpFault(503, f"the broker takes no publishes now: {front.blocked}", kind="PublishRefused")
    await warm_up()
    rows = await _checked_rows(visit)
    unroutable: list[int] = []
    refused: list[int] = []
    for first in range(0, len(rows), SLICE):
        await _publish_slice(visit, rows[first : first + SLICE], unroutable, refused)
        await asyncio.sleep(0)
    await durable(front.broker)
    return json_reply({"rows": len(rows), "unroutable": unroutable, "refused": refused})


# Looking at rows


async def _checked_rows(visit: Visit) -> list[_Row]:
    check = _Check(visit)
    checked: list[_Row] = []
    for rows in _read(visit.request.body):
        for exchange, key, properties, body in zip(*rows, strict=True):
            try:
                route = check.route(exchange, key)
                content, terms = check.properties(properties)
                check.size(body)
            except PenstockError as error:
                raise _at_row(len(checked), error) from error
            checked.append(_Row(len(checked), route, content, terms, body))
        await asyncio.sleep(0)
    return checked


def _read(body: bytes) -> Iterator[OutgoingRows]:
    """The rows in a request's body, some at a time."""
    count = 0
    try:
        if is_compressed(body):
            raise HttpFault(400, "the stream's buffers are compressed: send them as they are")
        for batch in read_stream(io.BytesIO(body)):
            count += batch.num_rows
            if count > ROWS_MOST:
                raise HttpFault(413, f"at most {ROWS_MOST} rows in one request", kind="PublishRefused")
            for start in range(0, batch.num_rows, SLICE):
                yield read_outgoing(batch.slice(start, SLICE))
    except (OSError, ValueError) as exc:
        # As pyarrow tells of bytes that it cannot read; our own errors say more.
        if isinstance(exc, PenstockError):
            raise
        raise HttpFault(400, f"the body is no Arrow IPC stream: {exc}") from exc


def _at_row(number: int, error: PenstockError) -> PenstockError:
    text = f"row {number}: {error}; nothing was published"
    if isinstance(error, ChannelFault | CannotEncode | Malformed):
        return HttpFault(400, text, kind="PublishRefused")
    fault = fault_of(error)
    return HttpFault(fault.status, text, kind=fault.kind)


class _Check:
    """Whether messages may go where they are sent, asked once for each different place."""

    def __init__(self, visit: Visit | Sender) -> None:
        self._visit = visit
        self._routes: dict[tuple[str, str], PublishArgs] = {}
        self._largest = visit.front.settings.max_message_bytes

    def route(self, exchange: str, key: str) -> PublishArgs:
        route = self._routes.get((exchange, key))
        if route is None:
            route = self._routes[exchange, key] = self._permitted(exchange, key)
        return route

    def _permitted(self, exchange: str, key: str) -> PublishArgs:
        visit = self._visit
        visit.guard.check(Operation.PUBLISH, exchange)
        proxy = visit.host.wiring.proxies.get(exchange)
        if proxy is None:
            raise UnknownProxy(f"there is no exchange '{exchange}' in virtual host '{visit.host.name}'")
        if proxy.internal:
            raise NotPermitted(f"exchange '{exchange}' is internal: nobody publishes to it")
        if proxy.class_name == TOPIC:
            visit.guard.check_topic("write", exchange, key)
        return PublishArgs(exchange, key, mandatory=True)

    def properties(self, raw: bytes) -> tuple[BasicProperties, Terms]:
        interned = self._visit.front.interned
        return self.content(interned.properties.get(raw) or interned.parse_properties(raw))

    def content(self, content: BasicProperties) -> tuple[BasicProperties, Terms]:
        if content.memo is not None:
            return content, content.memo
        terms = read_terms(content)
        if content.reply_to == REPLY_TO:
            raise CannotEncode(f"reply_to {REPLY_TO} is for clients that wait on an AMQP channel")
        if content.user_id is not None:
            self._check_user(content.user_id)
        if BCC in (content.headers or {}):
            content = with_entries(content, {BCC: b""})
        elif content.user_id is None:
            content.memo = terms
        return content, terms

    def _check_user(self, user: str) -> None:
        users, own = self._visit.front.access.realm.users, self._visit.user
        if user != own and not (own in users and "impersonator" in users.get(own).tags):
            raise CannotEncode(f"user_id is '{user}' but it is '{own}' who publishes")

    def size(self, body: bytes) -> None:
        if len(body) > self._largest:
            raise CannotEncode(f"a body of {len(body)} bytes; max_message_bytes is {self._largest}")


# Publishing them


async def _publish_slice(
    visit: Visit, rows: Sequence[_Row], unroutable: list[int], refused: list[int]
) -> None:
    messages = [await _message(visit, row) for row in rows]
    broker = visit.front.broker
    broker.refresh()
    numbered = zip(rows, messages, strict=True)
    for route, group in groupby(numbered, key=lambda pair: pair[0].route):
        pairs = list(group)
        published = visit.host.wiring.publish(route.exchange, [message for _, message in pairs], broker.now)
        if published.unroutable or published.refused:
            numbers = {id(message): row.number for row, message in pairs}
            unroutable += _numbers(published.unroutable, numbers)
            refused += _numbers(published.refused, numbers)
    broker.turn()


def _numbers(messages: Sequence[Any], numbers: dict[int, int]) -> list[int]:
    return [numbers[id(message)] for message in messages]


async def _message(visit: Visit | Sender, row: _Row) -> AmqpMessage:
    front = visit.front
    if len(row.body) <= front.settings.stream_over:
        frames = content_frames(CHANNEL, row.content, row.body, front.settings.frame_max)
        return AmqpMessage(row.route, row.content, frames, row.terms)
    name = await front.bodies.run(_write, front.bodies.create, row.body)
    large = front.bodies.made(name, len(row.body))
    frames = header_frame(CHANNEL, row.content, len(row.body))
    return LargeMessage(row.route, row.content, frames, row.terms, large)


def _write(create: Any, body: bytes) -> str:
    """On a thread: a large body into a file of its own; its name."""
    file = create()
    try:
        file.append(body)
        name: str = file.finish()
    except BaseException:
        file.abandon()
        raise
    return name
