"""Events as messages again: the same id, the same properties, where they once went. Pure."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from penstock.client import Outgoing
from penstock.messaging.headers import carried
from penstock.outbox.replay import REPLAYED
from penstock.wire.amqp import BasicProperties
from penstock.wire.arrow import read_outgoing
from penstock.wire.arrow.columns import COLUMNS, arrow_type

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["outgoing"]

#: What the broker writes on a message by itself.
_NOT_SENT: Final = frozenset({"arrived"})


def outgoing(events: Sequence[dict[str, Any]], queue: str | None = None) -> list[Outgoing]:
    """Events as messages to publish.

    Args:
        events: With a message's columns.
        queue: Only this queue gets them; None is wherever they went.

    Raises:
        CannotEncode: a header that AMQP cannot hold.
    """
    if not events:
        return []
    names = [name for name in events[0] if name not in _NOT_SENT]
    columns = {name: [event[name] for event in events] for name in names}
    columns["headers"] = [_marked(text) for text in columns["headers"]]
    if queue is not None:
        columns |= {"exchange": [""] * len(events), "routing_key": [queue] * len(events)}
    batch = pa.record_batch({name: pa.array(columns[name], arrow_type(COLUMNS[name])) for name in names})
    rows = read_outgoing(batch)
    return [
        Outgoing(exchange, key, body, BasicProperties(properties))
        for exchange, key, properties, body in zip(*rows, strict=True)
    ]


def _marked(text: str | None) -> str:
    """Headers without a broker's own notes, and with the word that it is a replay."""
    return json.dumps({**carried(json.loads(text) if text else {}), REPLAYED: 1})
