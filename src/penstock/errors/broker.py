"""Errors of wiring, settings, store and security: what the broker itself will not do."""

from __future__ import annotations

from penstock.errors.root import PenstockError

__all__ = [
    "AlreadyDifferent",
    "ArrowMissing",
    "BadConfiguration",
    "BadPattern",
    "BadPermission",
    "BadSelector",
    "BadSetting",
    "BadUser",
    "BadVirtualHost",
    "CannotListen",
    "CommitAhead",
    "ConstraintBroken",
    "Locked",
    "NotAllowed",
    "NotPermitted",
    "PanelMissing",
    "RangeGone",
    "ReaderInUse",
    "SecurityError",
    "SettingsError",
    "StillUsed",
    "StoreDamaged",
    "StoreError",
    "StoreForeign",
    "StoreFull",
    "StoreLocked",
    "StoreReadOnly",
    "StoreTooNew",
    "UnknownConsumer",
    "UnknownDelivery",
    "UnknownName",
    "UnknownProxy",
    "UnknownProxyClass",
    "UnknownQueue",
    "UnknownReader",
    "UnknownSetting",
    "UnknownTemplate",
    "UnknownUser",
    "UnknownVirtualHost",
    "WiringError",
]


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


class UnknownReader(UnknownName):
    """The queue has no reader of that name."""


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


class ReaderInUse(NotAllowed):
    """Somebody else holds the reader, and its lease goes on."""

    def __init__(self, message: str, *, holder: str, until: float) -> None:
        super().__init__(message)
        self.holder = holder
        #: When the lease ends, unless it is renewed.
        self.until = until


class CommitAhead(NotAllowed):
    """A position was to be committed that the reader has not taken yet."""


class RangeGone(NotAllowed):
    """Some of what was to be read is committed and forgotten, or not taken yet."""


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


class SettingsError(PenstockError):
    """The settings cannot be used; nothing was started."""


class UnknownSetting(SettingsError):
    """There is no setting of that name."""


class BadSetting(SettingsError):
    """A setting has a value that cannot be."""

    def __init__(self, message: str, *, setting: str) -> None:
        super().__init__(message)
        #: Which one, as the settings spell it.
        self.setting = setting


class CannotListen(BadSetting):
    """The address of a listener cannot be listened on."""


class StoreError(PenstockError):
    """The store could not do it; nothing was written."""


class StoreLocked(StoreError):
    """Another broker, or another program, has the store."""


class StoreFull(StoreError):
    """No room is left on the disk; the same batch can be written when there is."""


class StoreReadOnly(StoreError):
    """The store's folder or its disk takes no writing."""


class StoreForeign(StoreError):
    """What lies there is not a Penstock store."""


class StoreTooNew(StoreError):
    """A newer Penstock wrote the store; this one would misread it."""


class StoreDamaged(StoreError):
    """What the store kept cannot be read back."""


class NotPermitted(PenstockError):
    """The user may not do that there."""


class SecurityError(PenstockError):
    """Users, permissions or virtual hosts cannot be like that; they are unchanged."""


class BadUser(SecurityError):
    """A user's name, password or tag cannot be."""


class BadPermission(SecurityError):
    """A permission's pattern cannot be."""


class BadVirtualHost(SecurityError):
    """A virtual host's name or limit cannot be."""


class UnknownUser(SecurityError):
    """No user of that name exists."""


class UnknownVirtualHost(SecurityError):
    """No virtual host of that name exists."""


class ArrowMissing(PenstockError):
    """Queues as tables need pyarrow, which is not installed."""


class PanelMissing(PenstockError):
    """The panel was asked for, and what it stands on is not installed."""
