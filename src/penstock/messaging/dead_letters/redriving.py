"""The message that a dead letter is sent as, once more. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from penstock.errors import MessagingError
from penstock.messaging import headers as names
from penstock.messaging import typed_json
from penstock.messaging.dead_letters.reading import RETRY_OF
from penstock.messaging.message import JSON, Destination, Message
from penstock.messaging.redelivery.copies import EXPIRATION
from penstock.messaging.redelivery.decision import COUNT, QUEUE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from penstock.messaging.dead_letters.record import DeadLetter

__all__ = ["Edit", "edited", "own_headers", "redriven"]

#: What the message is to forget, so that it has all its attempts and its whole time again.
_FORGOTTEN: Final = frozenset({*names.FAILURES, names.EXPIRES_AT, QUEUE, COUNT, EXPIRATION})
#: What is written here about its way, and nobody edits.
_MARKS: Final = frozenset({names.REDRIVEN, names.EXCHANGE, names.KEY, RETRY_OF})


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """What is to be different in the message that is sent in place of a dead one; None is unchanged."""

    body: bytes | None = None
    type: str | None = None
    version: int | None = None
    content_type: str | None = None
    #: Added to the headers, or put in place of one; a value of None takes the header out. Headers of the
    #: failure, and those that are as the dead letter has them, are no edit: it forgets what it must forget.
    headers: Mapping[str, Any] = field(default_factory=dict)
    #: Another queue to go to.
    queue: str | None = None


def redriven(letter: DeadLetter) -> tuple[Message, Destination]:
    """The same message, marked as redriven, for the queue of the consumer that failed and no other.

    Raises:
        MessagingError: nobody knows its queue.
    """
    return _message(letter, letter.message_id, _headers(letter), letter.queue)


def edited(letter: DeadLetter, edit: Edit, new_id: str) -> tuple[Message, Destination]:
    """Another message, with an id of its own that says in place of which it stands.

    Raises:
        MessagingError: nobody knows its queue.
    """
    changed = {name: value for name, value in edit.headers.items() if _is_edit(letter, name, value)}
    headers = _headers(letter) | {RETRY_OF: letter.message_id} | changed
    for name in [name for name, value in changed.items() if value is None]:
        del headers[name]
    return _message(letter, new_id, headers, edit.queue or letter.queue, edit)


def own_headers(letter: DeadLetter) -> dict[str, Any]:
    """The headers that are the message's own, for somebody to edit: they go along when it is sent again."""
    return {name: value for name, value in _headers(letter).items() if name not in _MARKS}


def _is_edit(letter: DeadLetter, name: str, value: Any) -> bool:
    if name in _FORGOTTEN or name in _MARKS or names.is_past(name):
        return False
    # As text, in which 1, 1.0 and true differ.
    has_it = name in letter.headers
    return not has_it or typed_json.dump({name: value}) != typed_json.dump({name: letter.headers[name]})


def _headers(letter: DeadLetter) -> dict[str, Any]:
    kept = {name: value for name, value in names.carried(letter.headers).items() if name not in _FORGOTTEN}
    if letter.exchange or letter.key:
        # It goes straight to its queue: where it was published to would not be known any more.
        kept |= {names.EXCHANGE: letter.exchange, names.KEY: letter.key}
    return kept | {names.REDRIVEN: letter.redriven + 1}


def _message(
    letter: DeadLetter, message_id: str, headers: dict[str, Any], queue: str, edit: Edit | None = None
) -> tuple[Message, Destination]:
    if not queue:
        raise MessagingError(f"nobody knows the queue of {letter.message_id}: retry it, and name one")
    edit = edit or Edit()
    group = headers.get(names.GROUP)
    message = Message(
        body=letter.body if edit.body is None else edit.body,
        id=message_id,
        type=letter.type if edit.type is None else edit.type,
        version=letter.version if edit.version is None else edit.version,
        content_type=(letter.content_type if edit.content_type is None else edit.content_type) or JSON,
        content_encoding=letter.content_encoding,
        app_id=letter.app_id,
        headers=headers,
        correlation_id=letter.correlation_id,
        reply_to=letter.reply_to,
        priority=letter.priority,
        timestamp=letter.published_at,
        group=group if isinstance(group, str) else None,
    )
    return message, Destination.queue(queue)
