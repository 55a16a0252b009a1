"""RabbitMQ's confirm class and the standard's tx class: two ways to be sure.

Declarations only: `base.py` says how they are read.
"""

from penstock.wire.amqp.fields import Bit
from penstock.wire.amqp.methods.base import CLIENT, SERVER, Method, method

__all__ = [
    "ConfirmSelect",
    "ConfirmSelectOk",
    "TxCommit",
    "TxCommitOk",
    "TxRollback",
    "TxRollbackOk",
    "TxSelect",
    "TxSelectOk",
]


@method(85, 10, "confirm.select", SERVER)
class ConfirmSelect(Method):
    """From here on the server confirms each publish (RabbitMQ)."""

    nowait: Bit = False


@method(85, 11, "confirm.select-ok", CLIENT)
class ConfirmSelectOk(Method):
    """It will."""


@method(90, 10, "tx.select", SERVER)
class TxSelect(Method):
    """Publishes and acks wait for a commit."""


@method(90, 11, "tx.select-ok", CLIENT)
class TxSelectOk(Method):
    """They will."""


@method(90, 20, "tx.commit", SERVER)
class TxCommit(Method):
    """Now all of them."""


@method(90, 21, "tx.commit-ok", CLIENT)
class TxCommitOk(Method):
    """Done."""


@method(90, 30, "tx.rollback", SERVER)
class TxRollback(Method):
    """None of them."""


@method(90, 31, "tx.rollback-ok", CLIENT)
class TxRollbackOk(Method):
    """Done."""
