"""What flows and what stands: numbers that overview, virtual hosts, queues and exchanges have in common."""

from __future__ import annotations

from typing import TypedDict

__all__ = ["Depths", "Details", "MessageStats", "Passed"]


class Sample(TypedDict):
    """What a number was, and when: milliseconds since the epoch."""

    sample: int
    timestamp: int


class Details(TypedDict, total=False):
    """How a number grows, a second; and what it was, for whoever asks with `?lengths_age=` and the like."""

    rate: float
    samples: list[Sample]
    avg_rate: float
    avg: float


class MessageStats(TypedDict, total=False):
    """What has flowed since the broker started."""

    publish: int
    publish_details: Details
    deliver: int
    deliver_details: Details
    deliver_get: int
    deliver_get_details: Details
    ack: int
    ack_details: Details
    redeliver: int
    redeliver_details: Details
    expire: int
    expire_details: Details
    die: int
    die_details: Details


class Passed(TypedDict, total=False):
    """What came to an exchange, and how often a message of it went into a queue."""

    publish_in: int
    publish_in_details: Details
    publish_out: int
    publish_out_details: Details


class Depths(TypedDict, total=False):
    """What stands where."""

    messages: int
    messages_details: Details
    messages_ready: int
    messages_ready_details: Details
    messages_unacknowledged: int
    messages_unacknowledged_details: Details
    messages_delayed: int
    messages_buried: int
    messages_taken: int
