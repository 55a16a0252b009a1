"""What a change was about, for the audit log: which things, as the request names them, and how many.

Pure. Only what is listed here is told: what messages say, their headers, and passwords never are.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any, Final

import msgspec

from penstock.panel.replies import JSON

if TYPE_CHECKING:
    from collections.abc import Mapping

    from penstock.panel.replies import Reply

__all__ = ["asked_about", "came_of"]

#: Fields of bodies and queries that say what is to be acted on, and how.
ASKED: Final = frozenset(
    {
        # messages: from where to where, which, and what becomes of them
        *("to", "count", "filter", "ackmode", "requeue", "routing_key"),
        # dead letters
        *("message_ids", "group", "consumer", "type", "where", "all", "queue"),
        # queues and exchanges
        *("durable", "auto_delete", "internal", "if-unused", "if-empty"),
        # users, permissions, limits
        *("users", "tags", "configure", "write", "read", "exchange", "value"),
    }
)
#: Fields of answers: how many it were, and what something is called from now on.
ANSWERED: Final = frozenset({"moved", "redriven", "failed", "discarded", "put_back", "message_id"})
#: Characters of a text, values of a list, and bytes of an answer that is looked at: a log must not be filled.
TEXT_MOST: Final = 200
LIST_MOST: Final = 20
ANSWER_MOST: Final = 4096


def asked_about(body: Any, query: Mapping[str, str]) -> dict[str, Any]:
    """What a request is about, before anything is done."""
    told = {name: _short(value) for name, value in query.items() if name in ASKED}
    if isinstance(body, msgspec.Struct):
        fields = {name: getattr(body, name) for name in body.__struct_fields__ if name in ASKED}
        told |= {name: _short(value) for name, value in fields.items() if value not in (None, "", [])}
    elif isinstance(body, dict):
        # Definitions: of each kind, how many.
        counts = {name[:TEXT_MOST]: len(value) for name, value in body.items() if isinstance(value, list)}
        told |= dict(islice(counts.items(), LIST_MOST))
    return told


def came_of(reply: Reply) -> dict[str, Any]:
    """What came of it, as its answer says."""
    if reply.kind != JSON or not reply.body.startswith(b"{") or len(reply.body) > ANSWER_MOST:
        return {}
    answer: dict[str, Any] = msgspec.json.decode(reply.body)
    return {name: _short(value) for name, value in answer.items() if name in ANSWERED}


def _short(value: Any) -> Any:
    if isinstance(value, str):
        return value[:TEXT_MOST]
    if isinstance(value, list | tuple):
        more = [f"and {len(value) - LIST_MOST} more"] if len(value) > LIST_MOST else []
        return [_short(each) for each in value[:LIST_MOST]] + more
    return value
