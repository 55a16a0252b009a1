"""confirm.* and tx.*: the two ways a publisher learns that its messages are safe."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.server.amqp.errors import ChannelFault
from penstock.server.amqp.transaction import Transaction
from penstock.server.amqp.verbs.table import verb
from penstock.wire.amqp.constants import ReplyCode
from penstock.wire.amqp.methods import (
    ConfirmSelect,
    ConfirmSelectOk,
    TxCommit,
    TxRollback,
    TxRollbackOk,
    TxSelect,
    TxSelectOk,
)

if TYPE_CHECKING:
    from penstock.server.amqp.channel import Channel

__all__ = ["commit", "confirm_select", "rollback", "select"]


@verb(ConfirmSelect)
def confirm_select(channel: Channel, method: ConfirmSelect) -> ConfirmSelectOk:
    """From here on each publish is confirmed."""
    if channel.transaction is not None:
        raise ChannelFault(ReplyCode.PRECONDITION_FAILED, "cannot switch from tx to confirm mode")
    channel.publishing.confirms = True
    return ConfirmSelectOk()


@verb(TxSelect)
def select(channel: Channel, method: TxSelect) -> TxSelectOk:
    """From here on publishes and settlements wait for a commit."""
    if channel.publishing.confirms:
        raise ChannelFault(ReplyCode.PRECONDITION_FAILED, "cannot switch from confirm to tx mode")
    if channel.transaction is None:
        channel.transaction = Transaction(channel)
    return TxSelectOk()


def _transaction(channel: Channel) -> Transaction:
    if channel.transaction is None:
        raise ChannelFault(ReplyCode.PRECONDITION_FAILED, "channel is not transactional")
    return channel.transaction


@verb(TxCommit)
def commit(channel: Channel, method: TxCommit) -> None:
    """All of them, now; the answer comes when they are safe."""
    _transaction(channel).commit()


@verb(TxRollback)
def rollback(channel: Channel, method: TxRollback) -> TxRollbackOk:
    """None of them."""
    _transaction(channel).rollback()
    return TxRollbackOk()
