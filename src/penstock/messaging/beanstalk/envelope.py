"""A message as a beanstalk job, and back. Pure.

A job is bytes and nothing else, so what a message has beside its body travels in an envelope: a JSON object
`{"v": 1, "id": …}`, whose fields are those of `Message`, each left out where it says nothing. Docs:
docs/reference/beanstalk.md. Three forms, told apart by how a job begins:

- a body that is a JSON object has the envelope as its first member, `{"penstock":{…},"route":…}`: whoever
  knows nothing of envelopes reads it as the object that it is;
- before any other body it stands on a line of its own, `{"penstock":{…}}` and a line feed;
- a message that says nothing beside its body, not even its id, is its body, as other programs' jobs are.

Reading raises nothing: what is no envelope is a body.
"""

from __future__ import annotations

import json
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec

from penstock.messaging import typed_json
from penstock.messaging.headers import TYPE_VERSION
from penstock.messaging.message import JSON, Message

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["FORM", "Around", "Opened", "job_body", "message_in", "opened"]

#: The version of the envelope; one of another version is not opened.
FORM: Final = 1
MARK: Final = b'{"penstock":'

#: The fields of a message that an envelope holds, and what they are where it does not say.
FIELDS: Final[Mapping[str, Any]] = {
    "id": "",
    "type": "",
    "version": 1,
    "content_type": JSON,
    "correlation_id": None,
    "reply_to": None,
    "expires_in": None,
    "timestamp": 0.0,
    "group": None,
    "durable": True,
    "content_encoding": None,
    "app_id": None,
}
#: The fields that are no text, and whether a value can be one: an envelope may be anybody's.
_FIT: Final[Mapping[str, Callable[[Any], bool]]] = {
    "version": lambda value: type(value) is int and 0 < value < 2**31,
    "expires_in": lambda value: type(value) in (int, float) and 0 <= value < _BEYOND,
    "timestamp": lambda value: type(value) in (int, float) and 0 <= value < _BEYOND,
    "durable": lambda value: isinstance(value, bool),
}
#: Seconds that no clock shows.
_BEYOND: Final = 2.0**40
_decoder: Final = json.JSONDecoder()


class Opened(NamedTuple):
    """A job taken apart."""

    #: Empty if there is no envelope.
    fields: Mapping[str, Any]
    body: bytes


def job_body(message: Message, now: float, further: Mapping[str, Any] | None = None) -> bytes:
    """The job that a message is, put now, with further headers on its way."""
    fields: dict[str, Any] = {
        name: value for name, usual in FIELDS.items() if (value := getattr(message, name)) != usual
    }
    if message.expires_in is not None:
        # A span says nothing without its beginning.
        fields["timestamp"] = message.timestamp or now
    headers = {**message.headers, **(further or {})}
    # The version has a field of its own.
    headers.pop(TYPE_VERSION, None)
    if headers:
        fields["headers"] = json.loads(typed_json.dump(headers))
    body = message.body
    if not fields and not body.startswith(MARK):
        return body
    envelope = MARK + _written({"v": FORM, **fields})
    if body.startswith(b'{"') and not body.startswith(MARK):
        return envelope + b"," + body[1:]
    return envelope + b"}\n" + body


def opened(job: bytes) -> Opened:
    """A job without its envelope, and what stood in it."""
    if not job.startswith(MARK):
        return Opened({}, job)
    # What is behind the envelope may be no text at all; like this, each byte of it is a character.
    text = job.decode("latin-1")
    try:
        fields, end = _decoder.raw_decode(text, len(MARK))
        if not job.isascii():
            # As the text that it is, now that one knows where it ends.
            fields = json.loads(job[len(MARK) : end])
    except (ValueError, RecursionError):
        return Opened({}, job)
    if not isinstance(fields, dict) or fields.get("v") != FORM:
        return Opened({}, job)
    if job.startswith(b",", end):
        return Opened(fields, b"{" + job[end + 1 :])
    return Opened(fields, job[end + 2 :]) if job.startswith(b"}\n", end) else Opened({}, job)


def _written(fields: Mapping[str, Any]) -> bytes:
    try:
        return msgspec.json.encode(fields)
    except UnicodeEncodeError:
        # Half a surrogate pair has no encoding; escaped, it has.
        return json.dumps(fields).encode()


class Around(NamedTuple):
    """What is known of a job beside what it says."""

    #: What it is known by if it does not say.
    id: str
    #: As AMQP has it.
    priority: int | None
    #: When it was put, if it does not say when it was sent.
    put_at: float
    headers: Mapping[str, Any]


def message_in(found: Opened, around: Around) -> Message:
    """The message of a job."""
    fields = found.fields
    told = {
        name: value if name in fields and _is_fit(name, value := fields[name]) else usual
        for name, usual in FIELDS.items()
    }
    own = {TYPE_VERSION: told["version"], **_headers(fields.get("headers"))} if fields else {}
    told["id"] = told["id"] or around.id
    told["timestamp"] = float(told["timestamp"] or around.put_at)
    return Message(
        body=found.body,
        priority=around.priority,
        headers=MappingProxyType({**own, **around.headers}),
        **told,
    )


def _headers(written: Any) -> dict[str, Any]:
    try:
        return typed_json.load(json.dumps(written)) if isinstance(written, dict) else {}
    except (ValueError, TypeError, ArithmeticError, RecursionError):
        return {}


def _is_fit(name: str, value: Any) -> bool:
    fits = _FIT.get(name)
    return isinstance(value, str) if fits is None else fits(value)
