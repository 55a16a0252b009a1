from __future__ import annotations

from typing import Any

import pytest

from penstock.wire.amqp.errors import Malformed
from penstock.wire.amqp.interned import Interned
from penstock.wire.amqp.items import ACK, DELIVER, GET_OK, METHOD, NACK, PUBLISH, REJECT, RETURN
from penstock.wire.amqp.method_items import item_of
from penstock.wire.amqp.methods import (
    BasicAck,
    BasicDeliver,
    BasicGetOk,
    BasicNack,
    BasicPublish,
    BasicReject,
    BasicReturn,
    Method,
    QueueDeclare,
    TxSelect,
)

RETURNED = BasicReturn(312, "NO_ROUTE", "e", "k")
GOT = BasicGetOk(1, redelivered=False, exchange="e", routing_key="k", message_count=2)

ITEMS: list[tuple[Method, tuple[Any, ...]]] = [
    (BasicPublish("e", "k", mandatory=True), (PUBLISH, 1, ("e", "k", True, False))),
    (
        BasicDeliver("c", 7, redelivered=True, exchange="e", routing_key="k"),
        (DELIVER, 1, ("c", True, "e", "k"), 7),
    ),
    (GOT, (GET_OK, 1, GOT)),
    (RETURNED, (RETURN, 1, RETURNED)),
    (BasicAck(3, multiple=True), (ACK, 1, 3, True)),
    (BasicNack(3, multiple=False, requeue=True), (NACK, 1, 3, False, True)),
    (BasicReject(3, requeue=True), (REJECT, 1, 3, True)),
    (TxSelect(), (METHOD, 1, TxSelect())),
]


@pytest.mark.parametrize(("method", "expected"), ITEMS, ids=[row[0].name for row in ITEMS])
def test_what_becomes_of_a_method(method: Method, expected: tuple[Any, ...]) -> None:
    assert item_of(method.id, 1, method.codec.encode(method), Interned(), 8) == expected


def test_the_same_publish_again_is_the_same_object() -> None:
    interned = Interned()
    raw = BasicPublish.codec.encode(BasicPublish("e", "k"))
    assert (
        item_of(BasicPublish.id, 1, raw, interned, 8)[2] is item_of(BasicPublish.id, 1, raw, interned, 8)[2]
    )


def test_depth_is_limited() -> None:
    raw = QueueDeclare.codec.encode(QueueDeclare("q", arguments={"a": {}}))
    with pytest.raises(Malformed):
        item_of(QueueDeclare.id, 1, raw, Interned(), 1)
