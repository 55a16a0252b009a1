"""Explain: where a message would go, which registrations were tried, and why the others did not match."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import msgspec

from penstock.panel.replies import json_reply
from penstock.server.amqp.message import AmqpMessage
from penstock.server.amqp.terms import read_terms
from penstock.wire.amqp import BasicProperties, PublishArgs, content_frames

if TYPE_CHECKING:
    from penstock.panel.replies import Reply
    from penstock.panel.visit import Visit

__all__ = ["Explained", "Supposed", "TrialFields", "explain"]


class Supposed(msgspec.Struct, kw_only=True):
    """A message that nobody publishes."""

    #: The exchange; empty is the default one.
    proxy: str = ""
    routing_key: str = ""
    headers: dict[str, Any] = {}


class TrialFields(msgspec.Struct, frozen=True, kw_only=True):
    """One registration, held against the message."""

    proxy: str
    pattern: str
    targets: tuple[str, ...]
    #: Null if it matches.
    why_not: str | None


class Explained(msgspec.Struct, frozen=True, kw_only=True):
    """The whole way of a message."""

    trials: list[TrialFields]
    queues: list[str]


async def explain(visit: Visit, vhost: str) -> Reply:
    """Where a message would go. Nothing is published."""
    supposed, host = cast("Supposed", visit.body), visit.host(vhost)
    content = BasicProperties.of(headers=supposed.headers)
    route = PublishArgs(supposed.proxy, supposed.routing_key)
    message = AmqpMessage(route, content, content_frames(1, content, b"", 0), read_terms(content))
    told = host.wiring.explain(supposed.proxy, message)
    trials = [
        TrialFields(proxy=each.proxy, pattern=each.pattern, targets=each.targets, why_not=each.why_not)
        for each in told.trials
    ]
    return json_reply(Explained(trials=trials, queues=told.queues))
