"""Dead letters: look at what could not be handled, edit it, send it once more, or let it go.

Who monitors sees that there are letters, and why. What they say, and what becomes of them, is for those whom
the broker's own permissions let read from their queue.
"""

from __future__ import annotations

from base64 import b64decode
from binascii import Error as BadBase64
from dataclasses import replace
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Final, cast

import msgspec

from penstock.messaging import typed_json
from penstock.messaging.dead_letters import DeadLetters, Edit, Selection
from penstock.messaging.dead_letters.redriving import own_headers
from penstock.messaging.dead_letters.showing import as_fields, group_as_fields
from penstock.panel.own.letter_guard import LetterGuard
from penstock.panel.replies import ApiFault, as_json, json_reply

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence

    from penstock.messaging import Broker
    from penstock.messaging.dead_letters import DeadLetter, DeadLetterStore
    from penstock.panel.replies import Reply
    from penstock.panel.visit import Visit

__all__ = ["Chosen", "LetterDesk", "Retry", "discard", "find", "groups", "redrive", "retry", "show"]

#: Letters in a list, unless somebody asks for fewer; and what it has at most of a body, in bytes, of an error
#: or a trace, in characters, and of all headers together.
MOST: Final = 500
EXCERPT: Final = 2000
ANY: Final = "any"
#: What only those are told who may read from the letter's queue. An error is the consumer's own words.
CONTENTS: Final = frozenset({"body", "body_base64", "headers", "carried"})


class Chosen(msgspec.Struct, kw_only=True):
    """Which dead letters are meant: those that fit all that is said."""

    group: str | None = None
    consumer: str | None = None
    type: str | None = None
    message_ids: list[str] = []
    #: A selector, such as "attempts > 3".
    where: str | None = None
    #: All of them, if nothing else says which.
    all: bool = False


class Retry(msgspec.Struct, kw_only=True):
    """What is to be different in the message that is sent in place of a dead one."""

    body: str | None = None
    #: In place of `body`, where it is no text.
    body_base64: str | None = None
    #: Only what is to change, as the letter's own are told; a value of null takes the header out.
    headers: dict[str, Any] = {}
    type: str | None = None
    queue: str | None = None


class LetterDesk:
    """The dead letters of a store. A broker is lent only to who sends one."""

    def __init__(self, store: DeadLetterStore, lend: Callable[[], Awaitable[Broker]], vhost: str) -> None:
        """Dead letters whose queues are in a virtual host, of the broker that is lent."""
        self.vhost = vhost
        self.looking = DeadLetters(store)
        self._store = store
        self._lend = lend
        self._sending: DeadLetters | None = None

    async def sending(self) -> DeadLetters:
        """The same with a broker; the same one each time, since two who redrive must not do so at once.

        Raises:
            ClientError: the broker cannot be reached.
        """
        if self._sending is None:
            self._sending = DeadLetters(self._store, await self._lend())
        return self._sending


async def groups(visit: Visit) -> Reply:
    """Consumer, kind of error and type in common, with counts; the largest first."""
    desk, _ = _entered(visit)
    return json_reply([group_as_fields(group) for group in await desk.looking.groups(_asked(visit))])


async def find(visit: Visit) -> Reply:
    """Those that fit, the newest failure first; what is long is cut."""
    desk, guard = _entered(visit)
    asked, limit = _asked(visit), visit.number("limit", 100, most=MOST)
    if asked.where is not None:
        # Whether a selector fits tells what is in the headers.
        asked = await _limited(desk, asked, guard.check_reading)
    found = await desk.looking.find(asked, limit, body_most=EXCERPT)
    withheld = guard.withheld(letter.queue for letter in found)
    return json_reply([_told(_excerpt(letter), withheld) for letter in found])


async def show(visit: Visit, message_id: str) -> Reply:
    """One of them, with everything."""
    desk, guard = _entered(visit)
    found = await desk.looking.show(message_id, visit.query.get("consumer"))
    fields = as_fields(found) | {"carried": _carried(found)}
    return json_reply(_told(fields, guard.withheld([found.queue])))


async def retry(visit: Visit, message_id: str) -> Reply:
    """Send an edited message, with an id of its own, in place of a dead one."""
    desk, guard = _entered(visit)
    asked = cast("Retry", visit.body)
    edit = Edit(body=_body(asked), headers=_headers(asked), type=asked.type, queue=asked.queue)
    letter = await desk.looking.show(message_id, visit.query.get("consumer"))
    guard.check_sending([letter.queue])
    new_id = await (await desk.sending()).retry(message_id, edit, letter.consumer)
    return json_reply({"message_id": new_id})


async def redrive(visit: Visit) -> Reply:
    """Send those that are meant to the consumer that failed on them, and to no other."""
    desk, guard = _entered(visit)
    meant = await _limited(desk, _meant(visit), guard.check_sending)
    done = await (await desk.sending()).redrive(meant)
    return json_reply({"redriven": done.redriven, "failed": done.failed, "errors": list(done.errors)})


async def discard(visit: Visit) -> Reply:
    """Delete those that are meant, for good."""
    desk, guard = _entered(visit)
    meant = await _limited(desk, _meant(visit), guard.check_discarding)
    return json_reply({"discarded": await desk.looking.delete(meant)})


def _entered(visit: Visit) -> tuple[LetterDesk, LetterGuard]:
    desk: LetterDesk = visit.panel.resources.demand("dead_letters")
    return desk, LetterGuard(visit, desk.vhost)


async def _limited(
    desk: LetterDesk, selection: Selection, check: Callable[[Sequence[str]], None]
) -> Selection:
    """The selection, if all its queues pass, and of these alone: others may come while it is worked on."""
    queues = await desk.looking.queues(selection)
    check(queues)
    return replace(selection, queues=tuple(queues))


def _asked(visit: Visit) -> Selection:
    query = visit.query
    state = query.get("state", "dead")
    return Selection(
        consumer=query.get("consumer") or None,
        type=query.get("type") or None,
        group=query.get("group") or None,
        state=None if state == ANY else state,
        where=query.get("where") or None,
    )


def _meant(visit: Visit) -> Selection:
    chosen = cast("Chosen", visit.body)
    selection = Selection(
        consumer=chosen.consumer,
        type=chosen.type,
        group=chosen.group,
        message_ids=tuple(chosen.message_ids),
        where=chosen.where,
    )
    if selection.is_everything and not chosen.all:
        raise ApiFault(400, "which ones? Name message_ids, group, consumer, type or where; or say all: true")
    return selection


def _body(asked: Retry) -> bytes | None:
    if asked.body_base64 is None:
        return None if asked.body is None else asked.body.encode()
    try:
        return b64decode(asked.body_base64, validate=True)
    except (BadBase64, ValueError) as wrong:
        raise ApiFault(400, "body_base64 cannot be read") from wrong


def _headers(asked: Retry) -> dict[str, Any]:
    try:
        return typed_json.restored(asked.headers)
    except (ValueError, TypeError, ArithmeticError) as wrong:
        raise ApiFault(400, f"a header's value is not what its type says: {wrong}") from wrong


def _carried(letter: DeadLetter) -> str:
    """The headers that go along, as text to edit: a script's numbers are not as exact as ours."""
    plain = msgspec.json.decode(typed_json.dump(own_headers(letter)))
    return msgspec.json.format(as_json(plain), indent=2).decode()


def _excerpt(letter: DeadLetter) -> dict[str, Any]:
    fields = as_fields(letter)
    cut = {name: fields[name][:EXCERPT] for name in ("trace", "error")}
    return fields | cut | {"headers": _first(fields["headers"])}


def _first(headers: dict[str, Any]) -> dict[str, Any]:
    """As many of the headers as have room."""
    sizes = accumulate(len(as_json(entry)) for entry in headers.items())
    return {name: headers[name] for name, size in zip(headers, sizes, strict=True) if size <= EXCERPT}


def _told(fields: dict[str, Any], withheld: Mapping[str, str]) -> dict[str, Any]:
    reason = withheld.get(fields["queue"])
    if reason is None:
        return fields
    return {name: value for name, value in fields.items() if name not in CONTENTS} | {"withheld": reason}
