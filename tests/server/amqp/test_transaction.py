from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from penstock.wire.amqp.items import BODY_END, PUBLISH
from penstock.wire.amqp.methods import (
    BasicAck,
    BasicGet,
    BasicNack,
    BasicReject,
    QueueDeclare,
    TxCommit,
    TxCommitOk,
    TxRollback,
    TxSelect,
)

if TYPE_CHECKING:
    from tests.server.amqp.talk import Client


@pytest.fixture
def tx(client: Client) -> Client:
    """A client with a transaction begun, a queue "q", and two messages in hand under tags 1 and 2."""
    client.say(QueueDeclare("q", durable=True))
    client.publish(b"1", "q")
    client.publish(b"2", "q")
    client.say(BasicGet("q"), BasicGet("q"), TxSelect())
    return client


def ready(client: Client) -> int:
    return client.world.host.wiring.queue("q").ready


def test_nothing_happens_before_the_commit(tx: Client) -> None:
    tx.publish(b"3", "q", delivery_mode=2)
    tx.say(BasicAck(1))
    assert (ready(tx), len(tx.channel().ledger.unsettled)) == (0, 2)
    assert tx.ask(TxCommit()) == TxCommitOk()
    assert (ready(tx), len(tx.channel().ledger.unsettled)) == (1, 1)


def test_a_commit_of_nothing_is_answered_at_once(tx: Client) -> None:
    assert tx.ask(TxCommit()) == TxCommitOk()


def test_a_rollback_forgets(tx: Client) -> None:
    tx.publish(b"3", "q")
    tx.say(BasicAck(1), TxRollback(), BasicNack(1, requeue=True))
    assert ready(tx) == 0
    tx.say(TxCommit())
    assert ready(tx) == 1


@pytest.mark.parametrize(
    "methods",
    [
        [BasicAck(9)],
        [BasicAck(9, multiple=True)],
        [BasicNack(0)],
        [BasicReject(9)],
        [BasicAck(1), BasicAck(1)],
    ],
    ids=str,
)
def test_an_unknown_tag_is_told_at_once(tx: Client, methods: list[Any]) -> None:
    tag = methods[-1].delivery_tag
    assert tx.refused(*methods) == (406, f"PRECONDITION_FAILED - unknown delivery tag {tag}")


def test_many_are_settled_together(tx: Client) -> None:
    tx.say(BasicNack(2, multiple=True, requeue=True), TxCommit())
    assert ready(tx) == 2


def test_a_route_that_cannot_be_is_told_at_once(tx: Client) -> None:
    assert tx.told(tx.publish(exchange="nowhere"))[0] == 404


def test_what_does_not_fit_makes_the_commit_fail(tx: Client) -> None:
    full: Any = {"x-max-length": 0, "x-overflow": "reject-publish"}
    tx.say(QueueDeclare("full", arguments=full))
    tx.publish(b"no", "full")
    assert tx.refused(TxCommit()) == (406, "PRECONDITION_FAILED - partial tx completion")


def test_large_bodies_wait_in_their_order(tx: Client) -> None:
    taken: list[Any] = []

    class Taking:
        has_refused = False

        def check(self, args: Any) -> None: ...

        def publish(self, items: list[Any]) -> None:
            taken.append(items)

        def publish_large(self, item: Any) -> None:
            taken.append(item)

    channel: Any = tx.channel()
    channel.publishing = Taking()
    small, large = (PUBLISH, 1, "small"), (BODY_END, 1, "large")
    channel.transaction.publish([small])
    channel.transaction.publish_large(large)
    channel.transaction.publish_large(large)
    channel.transaction.publish([small, small])
    tx.say(TxCommit())
    assert taken == [[small], large, large, [small, small]]


def test_an_answer_to_a_closed_channel_is_not_given(tx: Client) -> None:
    channel: Any = tx.channel()
    channel.is_open = False
    channel.transaction.written(1)
    assert tx.hear() == []
