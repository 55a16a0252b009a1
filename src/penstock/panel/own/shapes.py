"""What some of our own resources answer with, as types, for the OpenAPI document; others are in the ports."""

from __future__ import annotations

from typing import Any, TypedDict

__all__ = [
    "Discarded",
    "Letter",
    "LetterGroup",
    "OutboxStatus",
    "PutBack",
    "Redriven",
    "Retried",
    "TopologyPlan",
]


class Letter(TypedDict, total=False):
    """A dead letter. A body that is no text is in `body_base64`; times are seconds since the epoch."""

    consumer: str
    message_id: str
    group: str
    queue: str
    body: str
    body_base64: str
    #: Bytes of the whole body.
    size: int
    #: Headers that a retry carries, as a text in which they can be edited.
    carried: str
    #: Why body and headers are left out.
    withheld: str
    type: str
    version: int
    content_type: str
    content_encoding: str | None
    app_id: str | None
    headers: dict[str, Any]
    correlation_id: str | None
    reply_to: str | None
    priority: int | None
    published_at: float
    exchange: str
    key: str
    #: failed, or the broker's word: rejected, expired, maxlen, delivery_limit.
    reason: str
    error: str
    error_class: str
    trace: str
    attempts: int
    first_failure: float
    last_failure: float
    redriven: int
    redriven_at: float | None
    #: dead, redriven, retried.
    state: str
    retry_of: str | None
    retried_as: str | None


class LetterGroup(TypedDict):
    """Dead letters with the same consumer, type and kind of error."""

    group: str
    consumer: str
    type: str
    error_class: str
    error: str
    reason: str
    count: int
    first_failure: float
    last_failure: float
    #: How many of them were redriven before and have come back.
    returned: int


class Retried(TypedDict):
    """The id of the message that was sent in place of a dead one."""

    message_id: str


class Redriven(TypedDict):
    """How many were sent, how many could not be, and why the first of these could not."""

    redriven: int
    failed: int
    errors: list[str]


class Discarded(TypedDict):
    """How many were deleted."""

    discarded: int


class FailingRow(TypedDict):
    """A row of an outbox that could not be published when it was last tried."""

    id: str
    type: str
    attempts: int
    error: str
    is_set_aside: bool


class OutboxStatus(TypedDict):
    """How an outbox is doing; `lag` is the seconds that the oldest has waited."""

    name: str
    waiting: int
    lag: float
    set_aside: int
    relayed: int
    failing: list[FailingRow]


class PutBack(TypedDict):
    """How many rows wait again."""

    put_back: int


class TopologyChange(TypedDict):
    """One thing that would have to be done: create, delete, recreate; conflict and leave say why not."""

    verb: str
    noun: str
    name: str
    reason: str


class TopologyPlan(TypedDict):
    """The way from what is there to what is wanted."""

    vhost: str
    in_step: bool
    changes: list[TopologyChange]
