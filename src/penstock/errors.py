"""Every error Penstock raises, in one tree.

Names say what happened; the message says whose fault it is and what to do. Nothing here knows a
protocol: each front maps these classes to its own reply codes.

* PenstockError
    * WiringError: the wiring was asked for something it will not do; it is unchanged
        * UnknownName
            * UnknownProxyClass, UnknownProxy, UnknownQueue, UnknownTemplate
            * UnknownConsumer, UnknownDelivery
        * AlreadyDifferent: it exists, but not like that
        * NotAllowed
            * Locked: it belongs to another connection or an exclusive consumer
            * StillUsed: "if unused" or "if empty" was asked, and it is not
            * ConstraintBroken: a template's or a verb's limit
        * BadPattern: a registration's pattern does not fit its proxy class
            * BadSelector: with the column where the statement goes wrong
        * BadConfiguration: a template or proxy setting that cannot be
    * CannotEncode: a value that AMQP's field types cannot hold (penstock.wire.amqp)
    * Malformed: bytes that are no AMQP (penstock.wire.amqp)
"""

from __future__ import annotations

__all__ = [
    "AlreadyDifferent",
    "BadConfiguration",
    "BadPattern",
    "BadSelector",
    "ConstraintBroken",
    "Locked",
    "NotAllowed",
    "PenstockError",
    "StillUsed",
    "UnknownConsumer",
    "UnknownDelivery",
    "UnknownName",
    "UnknownProxy",
    "UnknownProxyClass",
    "UnknownQueue",
    "UnknownTemplate",
    "WiringError",
]


class PenstockError(Exception):
    """Something in Penstock did not work out."""


class WiringError(PenstockError):
    """The wiring was asked for something it will not do; it is unchanged."""


class UnknownName(WiringError):
    """There is nothing of that name."""


class UnknownProxyClass(UnknownName):
    """No such proxy class is loaded."""


class UnknownProxy(UnknownName):
    """No proxy of that name exists."""


class UnknownQueue(UnknownName):
    """No queue of that name exists in that namespace."""


class UnknownTemplate(UnknownName):
    """No queue template of that name is configured."""


class UnknownConsumer(UnknownName):
    """No consumer of that name is on this ledger."""


class UnknownDelivery(UnknownName):
    """Nothing with that delivery tag is in hand: never sent, or settled before."""


class AlreadyDifferent(WiringError):
    """It exists already, but not like that."""


class NotAllowed(WiringError):
    """It exists, but may not be used that way now."""


class Locked(NotAllowed):
    """It belongs to another connection, or one consumer has it for itself."""


class StillUsed(NotAllowed):
    """It was to be destroyed only if unused or empty, and it is neither."""


class ConstraintBroken(NotAllowed):
    """A limit set by the queue's template would be exceeded."""


class BadPattern(WiringError):
    """A registration's pattern does not fit its proxy's class."""


class BadSelector(BadPattern):
    """A selector statement cannot be read."""

    def __init__(self, message: str, *, statement: str, column: int) -> None:
        super().__init__(f"{message} (column {column}): {statement}")
        self.statement = statement
        #: Where it goes wrong, counted from 1.
        self.column = column


class BadConfiguration(WiringError):
    """A template or proxy setting that cannot be."""
