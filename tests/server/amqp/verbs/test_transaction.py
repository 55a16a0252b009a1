from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from penstock.wire.amqp.methods import (
    ConfirmSelect,
    ConfirmSelectOk,
    TxCommit,
    TxCommitOk,
    TxRollback,
    TxRollbackOk,
    TxSelect,
    TxSelectOk,
)

if TYPE_CHECKING:
    from tests.server.amqp.talk import Client


def test_confirms_are_asked_for(client: Client) -> None:
    assert client.ask(ConfirmSelect()) == ConfirmSelectOk()
    assert client.channel().publishing.confirms


def test_a_transaction_begins_and_ends(client: Client) -> None:
    assert client.ask(TxSelect()) == TxSelectOk()
    first = client.channel().transaction
    assert client.ask(TxSelect()) == TxSelectOk()
    assert client.channel().transaction is first
    assert client.ask(TxCommit()) == TxCommitOk()
    assert client.ask(TxRollback()) == TxRollbackOk()


@pytest.mark.parametrize("method", [TxCommit(), TxRollback()])
def test_there_is_no_end_without_a_beginning(client: Client, method: Any) -> None:
    assert client.refused(method) == (406, "PRECONDITION_FAILED - channel is not transactional")


def test_it_is_one_or_the_other(client: Client) -> None:
    told = "PRECONDITION_FAILED - cannot switch from tx to confirm mode"
    assert client.refused(TxSelect(), ConfirmSelect()) == (406, told)
    client.open(2)
    told = "PRECONDITION_FAILED - cannot switch from confirm to tx mode"
    assert client.refused(ConfirmSelect(), TxSelect(), channel=2) == (406, told)
