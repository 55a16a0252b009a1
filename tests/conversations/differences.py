# ruff: noqa: E501  a reason is one line of a table, there and here
"""Every outcome that is not the same with both brokers, and why: the one place that lists them.

A conversation asks for its outcome with `expected("the name")`. docs/reference/compatibility.md is
this table for people; `python -m tests.conversations.differences` writes it, a test compares.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

PAGE = Path(__file__).resolve().parent.parent.parent / "docs" / "reference" / "compatibility.md"


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """What a conversation sees with Debian's RabbitMQ 3.10 and with Penstock."""

    about: str
    reason: str
    rabbitmq: Any
    penstock: Any


DIFFERENCES: dict[str, Difference] = {
    "arguments-that-cannot-be-read": Difference(
        about="The reply code for a method whose arguments are cut short, or a name that is no UTF-8",
        reason="RabbitMQ finds fault with the frame (501 FRAME_ERROR). Penstock gives the standard's code for"
        " illegal values in a frame that is whole (502 SYNTAX_ERROR). The connection ends either way.",
        rabbitmq=501,
        penstock=502,
    ),
    "cc-of-a-dead-letter": Difference(
        about="Whether a dead letter still has its CC header when its queue has x-dead-letter-routing-key",
        reason="Before 3.13 RabbitMQ takes the header out. Since then, and so in Penstock, it stays as it was published; either way only the queue's key counts.",
        rabbitmq=False,
        penstock=True,
    ),
    "expiry-behind-the-head": Difference(
        about="Messages that still count when one with a short expiration waits behind one with a long one, and"
        " the short time has passed",
        reason="RabbitMQ looks only at the head of a queue. Penstock expires a message anywhere in it, when its"
        " time has come.",
        rabbitmq=2,
        penstock=1,
    ),
    "handshake-errors": Difference(
        about="A handshake that goes wrong: an unknown mechanism, limits beyond the offer, a method out of order",
        reason="RabbitMQ waits three seconds and hangs up without a word. Penstock says what was wrong with"
        " connection.close first, as the standard asks.",
        rabbitmq={"hung up"},
        penstock={403, 501, 503, 504, 530},
    ),
    "header-of-another-class": Difference(
        about="The reply code for a content header of another class than its method's",
        reason="RabbitMQ says 505 UNEXPECTED_FRAME, the standard 501 FRAME_ERROR (§4.2.6.1), and so does Penstock."
        " The connection ends either way.",
        rabbitmq=505,
        penstock=501,
    ),
    "last-death-headers": Difference(
        about="The deaths that headers of their own tell: x-first-death-queue and so on",
        reason="Since 3.13 RabbitMQ, and so Penstock, writes x-last-death-exchange, -queue and -reason too.",
        rabbitmq=["first"],
        penstock=["first", "last"],
    ),
    "mandatory-answers": Difference(
        about="Whether a mandatory answer over direct reply-to comes back although it arrives",
        reason="Up to 4.1 a reply-to name is no queue to RabbitMQ. Since 4.2, and so in Penstock, it is one.",
        rabbitmq=True,
        penstock=False,
    ),
    "method-on-channel-zero": Difference(
        about="The text of 504 CHANNEL_ERROR for a channel's method on channel 0",
        reason="Penstock's decoder sees the mistake first, and names the method.",
        rabbitmq="unexpected method in connection state running",
        penstock="queue.declare on channel 0",
    ),
    "more-exchange-types": Difference(
        about="Whether exchanges of the types x-prop-wild, x-selector, x-lossy and x-delayed-message can be declared",
        reason="They are Penstock's own (the last one was a plugin of RabbitMQ's). RabbitMQ closes the connection"
        " with 503 COMMAND_INVALID.",
        rabbitmq=False,
        penstock=True,
    ),
    "nack-and-the-delivery-limit": Difference(
        about="Deliveries of a message that is nacked back into a queue with x-delivery-limit 2, of six tried",
        reason="Up to 4.2 RabbitMQ counts every return. Since 4.3, and so in Penstock, a reject and a lost"
        " connection count as failures and a nack does not. A setting brings back the older rule.",
        rabbitmq=3,
        penstock=6,
    ),
    "passwords-hashed-by-md5": Difference(
        about="Whether a user of imported definitions is let in whose password_hash is by MD5",
        reason="Penstock takes over RabbitMQ's hashes by SHA-256 and SHA-512, and stores its own when the user has"
        " come once. MD5 gives no protection: such a user needs a password in the file.",
        rabbitmq=True,
        penstock=False,
    ),
    "permission-that-is-missing": Difference(
        about="Whether 403 ACCESS_REFUSED says which permission is missing: configure, write or read",
        reason="Newer RabbitMQs do, and so does Penstock: read access to queue 'q' in vhost '/' refused for user 'u'.",
        rabbitmq=False,
        penstock=True,
    ),
    "permission-to-ask": Difference(
        about="Whether a passive declaration needs a permission for the queue or exchange, any of the three",
        reason="It does in RabbitMQ since 4.3 (rabbitmq-server#16085), and so in Penstock: names tell something, too.",
        rabbitmq=False,
        penstock=True,
    ),
    "x-death-of-a-published-message": Difference(
        about="The count in x-death after a dead letter was published again by a client, x-death and all, and"
        " died once more",
        reason="Before 4.0 RabbitMQ goes on counting in what the client sent, and takes it for a circle if the"
        " message expires. Since 4.0, and so in Penstock, the x-death of a published message is the client's"
        " own business.",
        rabbitmq=[2],
        penstock=[1],
    ),
    "unknown-exchange-type": Difference(
        about="The reply code for an exchange of a type that is not there",
        reason="RabbitMQ ended the connection (503 COMMAND_INVALID) in 3.10; newer ones, and Penstock, only the"
        " channel (406 PRECONDITION_FAILED).",
        rabbitmq=503,
        penstock=406,
    ),
    "unknown-to-the-standard": Difference(
        about="A method or a field type that AMQP 0-9-1 does not know",
        reason="RabbitMQ's reader fails and the socket is closed. Penstock answers with connection.close and a"
        " reply code of the standard.",
        rabbitmq={"hung up"},
        penstock={501, 502, 503, 540},
    ),
}

HEAD = """# Compatibility with RabbitMQ

Penstock speaks AMQP 0-9-1 as RabbitMQ does, with RabbitMQ's extensions, reply codes and reply texts, so that
RabbitMQ's clients notice nothing. This is shown by one suite of conversations, `tests/conversations/`, that is held
with the real RabbitMQ and with Penstock and must end the same: frame by frame, and with pika, aio-pika, kombu and
py-amqp, amqplib for Node, librabbitmq's tools, Celery and Dramatiq.

Where the two differ on purpose, the conversation expects what this table says. RabbitMQ is Debian's 3.10 here; where
a newer RabbitMQ has changed its ways, Penstock follows the newer one.

| What | RabbitMQ 3.10 | Penstock | Why |
|---|---|---|---|
"""


def page() -> str:
    """docs/reference/compatibility.md as it should be."""
    rows = [
        f"| {each.about} | {_shown(each.rabbitmq)} | {_shown(each.penstock)} | {each.reason} |\n"
        for each in DIFFERENCES.values()
    ]
    return HEAD + "".join(rows)


def _shown(outcome: Any) -> str:
    if isinstance(outcome, bool):
        return "yes" if outcome else "no"
    if isinstance(outcome, set | list):
        shown = sorted(map(str, outcome)) if isinstance(outcome, set) else map(str, outcome)
        return (" or " if isinstance(outcome, set) else ", ").join(shown)
    return str(outcome)


if __name__ == "__main__":
    PAGE.write_text(page())
