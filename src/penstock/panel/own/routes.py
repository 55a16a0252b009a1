"""Which path under /api/penstock leads to which of our own resources: a table.

To look needs the tag monitoring, to change what flows the tag policymaker; an administrator has both. Dead
letters are messages of a virtual host: who may enter it sees that they are there, permissions say the rest.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from penstock.panel.own import (
    batches,
    dead_letters,
    explaining,
    lives,
    neighbours,
    outbox,
    port,
    schedules,
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
        dead_letters.find, "List dead letters.", MANAGEMENT, query={**_LETTERS, "limit": int}
    ),
    ("GET", "/api/penstock/dead-letters/groups"): Route(
        dead_letters.groups, "Count dead letters by consumer, error and type.", MANAGEMENT, query=_LETTERS
    ),
    ("GET", "/api/penstock/dead-letters/{message_id}"): Route(
        dead_letters.show, "Show one dead letter.", MANAGEMENT, query={"consumer": str}
    ),
    ("POST", "/api/penstock/dead-letters/{message_id}/retry"): Route(
        dead_letters.retry,
        "Send an edited message in place of a dead one.",
        POLICYMAKER,
        body=dead_letters.Retry,
        body_most=MESSAGE_MOST,
        query={"consumer": str},
    ),
    ("POST", "/api/penstock/dead-letters/redrive"): Route(
        dead_letters.redrive,
        "Send dead letters to the consumer that failed on them.",
        POLICYMAKER,
        body=dead_letters.Chosen,
    ),
    ("POST", "/api/penstock/dead-letters/discard"): Route(
        dead_letters.discard, "Delete dead letters for good.", POLICYMAKER, body=dead_letters.Chosen
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
    ("GET", "/api/penstock/outbox"): Route(outbox.listed, "Tell how outboxes are doing.", MONITORING),
    ("POST", "/api/penstock/outbox/{name}/put-back"): Route(
        outbox.return_aside, "Let what was set aside wait again.", POLICYMAKER
    ),
    ("GET", "/api/penstock/workers"): Route(
        neighbours.workers, "List workers and what they do.", MONITORING, reply=list[port.Worker]
    ),
    ("GET", "/api/penstock/pipelines"): Route(
        neighbours.pipelines, "Tell how Spark pipelines are doing.", MONITORING, reply=list[port.Pipeline]
    ),
    ("GET", "/api/penstock/batches"): Route(
        batches.listed,
        "List batches of DID operations.",
        MONITORING,
        query={"limit": int},
        reply=list[port.Batch],
    ),
    ("GET", "/api/penstock/batches/{number}"): Route(
        batches.find,
        "Show one batch, and what became of its operations.",
        MONITORING,
        query={"start": int, "limit": int},
        reply=port.OneBatch,
    ),
    ("GET", "/api/penstock/operations"): Route(
        batches.waiting,
        "Count DID operations that are in no batch yet.",
        MONITORING,
        reply=port.WaitingOperations,
    ),
    ("GET", "/api/penstock/dids/{suffix}"): Route(
        batches.did, "Show a DID, and what has made it so.", MONITORING, reply=port.Did
    ),
    ("GET", "/api/penstock/topology"): Route(
        topology.plan, "Compare the wanted topology with the broker's.", MONITORING
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
