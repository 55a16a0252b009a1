"""Which path under /api/penstock leads to which of our own resources: a table.

To look needs the tag monitoring, to change what flows the tag policymaker; an administrator has both. Dead
letters are messages of a virtual host: who may enter it sees that they are there, permissions say the rest.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from penstock.panel.own import (
    batches,
    dead_letters,
    did_port,
    explaining,
    lives,
    neighbours,
    outbox,
    port,
    schedules,
    shapes,
    topology,
)
from penstock.panel.routes import MANAGEMENT, MONITORING, POLICYMAKER, Route

if TYPE_CHECKING:
    from penstock.panel.routes import Table

__all__ = ["ROUTES"]

#: Bytes of a message that was edited.
MESSAGE_MOST: Final = 16 * 1024 * 1024
_LETTERS: Final[dict[str, Any]] = {"consumer": str, "type": str, "group": str, "state": str, "where": str}

ROUTES: Final[Table] = {
    ("GET", "/api/penstock/dead-letters"): Route(
        dead_letters.find,
        "List dead letters.",
        MANAGEMENT,
        query={**_LETTERS, "limit": int},
        reply=list[shapes.Letter],
    ),
    ("GET", "/api/penstock/dead-letters/groups"): Route(
        dead_letters.groups,
        "Count dead letters by consumer, error and type.",
        MANAGEMENT,
        query=_LETTERS,
        reply=list[shapes.LetterGroup],
    ),
    ("GET", "/api/penstock/dead-letters/{message_id}"): Route(
        dead_letters.show,
        "Show one dead letter.",
        MANAGEMENT,
        query={"consumer": str},
        reply=shapes.Letter,
    ),
    ("POST", "/api/penstock/dead-letters/{message_id}/retry"): Route(
        dead_letters.retry,
        "Send an edited message in place of a dead one.",
        POLICYMAKER,
        body=dead_letters.Retry,
        body_most=MESSAGE_MOST,
        query={"consumer": str},
        reply=shapes.Retried,
    ),
    ("POST", "/api/penstock/dead-letters/redrive"): Route(
        dead_letters.redrive,
        "Send dead letters to the consumer that failed on them.",
        POLICYMAKER,
        body=dead_letters.Chosen,
        reply=shapes.Redriven,
    ),
    ("POST", "/api/penstock/dead-letters/discard"): Route(
        dead_letters.discard,
        "Delete dead letters for good.",
        POLICYMAKER,
        body=dead_letters.Chosen,
        reply=shapes.Discarded,
    ),
    ("GET", "/api/penstock/schedules"): Route(
        schedules.listed,
        "List what waits for its time.",
        MONITORING,
        query={"limit": int},
        reply=list[port.Schedule],
    ),
    ("POST", "/api/penstock/schedules/{key}/run"): Route(
        schedules.run, "Have a scheduled job be due now.", POLICYMAKER
    ),
    ("DELETE", "/api/penstock/schedules/{key}"): Route(
        schedules.cancel, "Forget a scheduled job.", POLICYMAKER
    ),
    ("GET", "/api/penstock/outbox"): Route(
        outbox.listed, "Tell how outboxes are doing.", MONITORING, reply=list[shapes.OutboxStatus]
    ),
    ("POST", "/api/penstock/outbox/{name}/put-back"): Route(
        outbox.return_aside, "Let what was set aside wait again.", POLICYMAKER, reply=shapes.PutBack
    ),
    ("GET", "/api/penstock/workers"): Route(
        neighbours.workers, "List workers and what they do.", MONITORING, reply=list[port.Worker]
    ),
    ("GET", "/api/penstock/relays"): Route(
        neighbours.relays, "List relays of outboxes.", MONITORING, reply=list[port.Relay]
    ),
    ("GET", "/api/penstock/pipelines"): Route(
        neighbours.pipelines, "Tell how Spark pipelines are doing.", MONITORING, reply=list[port.Pipeline]
    ),
    ("GET", "/api/penstock/batches"): Route(
        batches.listed,
        "List batches of DID operations.",
        MONITORING,
        query={"limit": int},
        reply=list[did_port.Batch],
    ),
    ("GET", "/api/penstock/batches/{number}"): Route(
        batches.find,
        "Show one batch, and what became of its operations.",
        MONITORING,
        query={"start": int, "limit": int},
        reply=did_port.OneBatch,
    ),
    ("GET", "/api/penstock/operations"): Route(
        batches.waiting,
        "Count DID operations that are in no batch yet.",
        MONITORING,
        reply=did_port.WaitingOperations,
    ),
    ("GET", "/api/penstock/anchors"): Route(
        batches.anchors,
        "List anchors: the domain's own, and what it has observed.",
        MONITORING,
        query={"limit": int},
        reply=list[did_port.Anchor],
    ),
    ("GET", "/api/penstock/dids/{suffix}"): Route(
        batches.did, "Show a DID, and what has made it so.", MONITORING, reply=did_port.Did
    ),
    ("GET", "/api/penstock/topology"): Route(
        topology.plan,
        "Compare the wanted topology with the broker's.",
        MONITORING,
        reply=shapes.TopologyPlan,
    ),
    ("POST", "/api/penstock/explain/{vhost}"): Route(
        explaining.explain,
        "Tell where a message would go, and why.",
        MANAGEMENT,
        body=explaining.Supposed,
        reply=explaining.Explained,
    ),
    ("GET", "/api/penstock/messages/{vhost}/{message_id}"): Route(
        lives.life, "Tell what happened to one message.", MANAGEMENT, reply=lives.Life
    ),
}
