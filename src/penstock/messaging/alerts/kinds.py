"""The kinds of alerts that Penstock raises; an application may raise others."""

from __future__ import annotations

from typing import Final

__all__ = [
    "DEAD_LETTER",
    "EXHAUSTED",
    "KINDS",
    "PAUSED",
    "RELAY_FAILING",
    "STUCK_CONSUMER",
    "UNROUTED",
]

#: A message has used up its attempts and lies among the dead letters.
EXHAUSTED: Final = "exhausted"
#: A message was published that no queue takes.
UNROUTED: Final = "unrouted"
#: A consumer has messages and gets nowhere, or the broker no longer knows it.
STUCK_CONSUMER: Final = "stuck-consumer"
#: Rows of the outbox cannot be published.
RELAY_FAILING: Final = "relay-failing"
#: A message was refused without a further attempt, and lies among the dead letters.
DEAD_LETTER: Final = "dead-letter"
#: What a queue's handler needs is away; the queue waits for it.
PAUSED: Final = "paused"

KINDS: Final = {
    EXHAUSTED: "a message has used up its attempts and lies among the dead letters",
    UNROUTED: "a message was published that no queue takes",
    STUCK_CONSUMER: "a consumer has messages and gets nowhere, or the broker no longer knows it",
    RELAY_FAILING: "rows of the outbox cannot be published",
    DEAD_LETTER: "a message was refused without a further attempt, and lies among the dead letters",
    PAUSED: "what a queue's handler needs is away; the queue waits for it",
}
