"""Every error Penstock raises, in one tree.

Names say what happened; the message says whose fault it is and what to do. Nothing here knows a
protocol: each front maps these classes to its own reply codes.

* PenstockError
    * WiringError: the wiring was asked for something it will not do; it is unchanged
        * UnknownName
            * UnknownProxyClass, UnknownProxy, UnknownQueue, UnknownTemplate
            * UnknownConsumer, UnknownDelivery, UnknownReader
        * AlreadyDifferent: it exists, but not like that
        * NotAllowed
            * Locked: it belongs to another connection or an exclusive consumer
            * StillUsed: "if unused" or "if empty" was asked, and it is not
            * ConstraintBroken: a template's or a verb's limit
            * ReaderInUse: somebody else holds the reader, and until when
            * CommitAhead: of what a reader has taken
            * RangeGone: some of what was to be read is committed, or not taken yet
        * BadPattern: a registration's pattern does not fit its proxy class
            * BadSelector: with the column where the statement goes wrong
        * BadConfiguration: a template or proxy setting that cannot be
    * CannotEncode: a value that AMQP's field types cannot hold (penstock.wire.amqp)
    * Malformed: bytes that are no AMQP (penstock.wire.amqp)
    * ChannelFault: an AMQP client asked for what cannot be; with its reply code (penstock.server.amqp)
    * HttpFault: a request over HTTP that cannot be answered; with its status (penstock.server.http)
    * SettingsError: the settings cannot be used; nothing was started
        * UnknownSetting: with the nearest that there is
        * BadSetting: with the setting's name
            * CannotListen: its address cannot be listened on
    * StoreError: the store could not do it; nothing was written
        * StoreLocked: another broker, or another program, has it
        * StoreFull: no room is left; the same batch can be written when there is
        * StoreReadOnly: its folder or its disk takes no writing
        * StoreForeign: what lies there is not a Penstock store
        * StoreTooNew: a newer Penstock wrote it
        * StoreDamaged: what it kept cannot be read back
    * NotPermitted: the user may not do that there
    * SecurityError: users, permissions or virtual hosts cannot be like that; they are unchanged
        * BadUser, BadPermission, BadVirtualHost
        * UnknownUser, UnknownVirtualHost
    * ArrowMissing: queues as tables need pyarrow, here or at the broker
    * ClientError: the client could not do it
        * BadUrl: a broker's URL cannot be read
        * NotConnected: there is no broker at the other end now
        * LoginRefused: and trying again will not help
        * BrokerRefused: what was asked; with AMQP's reply code
        * PublishError: a message was not published, or nobody can tell
            * Unroutable, PublishRefused: it was not
            * RowsRefused: some of a table's rows were not, and which
            * PublishTimeout, PublishLost: nobody can tell
        * NoReply: to a request, in time
    * MessagingError: an application's messages, handlers or topology cannot be like that
        * InvalidMessage: it is not what its type promises
            * UnknownEvent: nobody has declared its type
        * PersistentError, TransientError: what a handler says about its failure
            * TimeLimitExceeded
        * TopologyError: it cannot be, or is not what the broker has
            * NotPortable: that broker cannot do it
            * ManagementMissing: that broker cannot be asked what it has
        * UnknownDeadLetter: none is kept under that name
        * OutboxError: of outbox or inbox; the transaction decides what remains
    * PipelineError: Spark, or a pipeline on it, could not do it
        * SparkUnavailable: Spark cannot be started here, and why
            * NoJava: there is none that is new enough
        * BadPipeline: as it is declared, it cannot be
        * UnknownPipeline: none of that name is declared
        * PipelineRunning: it runs already, and there can be only one
        * ColumnsChanged: what it makes of rows no longer fits what it has written
        * NotOnExecutors: what it needs cannot be imported where the work is done
        * NoRowToBlame: a batch fails, and not because of single rows
        * TableError: a table cannot be written or read like that
            * UnknownTable: there is none
        * BadExpression: Spark SQL that cannot be
        * CheckpointMismatch: a query's checkpoint and its reader are not of one piece
        * BadRow: a row that cannot be a message; with where it stands
"""

from __future__ import annotations

__all__ = [
    "AlreadyDifferent",
    "ArrowMissing",
    "BadConfiguration",
    "BadExpression",
    "BadPattern",
    "BadPermission",
    "BadPipeline",
    "BadRow",
    "BadSelector",
    "BadSetting",
    "BadUrl",
    "BadUser",
    "BadVirtualHost",
    "BrokerRefused",
    "CannotListen",
    "CheckpointMismatch",
    "ClientError",
    "ColumnsChanged",
    "CommitAhead",
    "ConstraintBroken",
    "InvalidMessage",
    "Locked",
    "LoginRefused",
    "ManagementMissing",
    "MessagingError",
    "NoJava",
    "NoReply",
    "NoRowToBlame",
    "NotAllowed",
    "NotConnected",
    "NotOnExecutors",
    "NotPermitted",
    "NotPortable",
    "OutboxError",
    "PenstockError",
    "PersistentError",
    "PipelineError",
    "PipelineRunning",
    "PublishError",
    "PublishLost",
    "PublishRefused",
    "PublishTimeout",
    "RangeGone",
    "ReaderInUse",
    "RowsRefused",
    "SecurityError",
    "SettingsError",
    "SparkUnavailable",
    "StillUsed",
    "StoreDamaged",
    "StoreError",
    "StoreForeign",
    "StoreFull",
    "StoreLocked",
    "StoreReadOnly",
    "StoreTooNew",
    "TableError",
    "TimeLimitExceeded",
    "TopologyError",
    "TransientError",
    "UnknownConsumer",
    "UnknownDeadLetter",
    "UnknownDelivery",
    "UnknownEvent",
    "UnknownName",
    "UnknownPipeline",
    "UnknownProxy",
    "UnknownProxyClass",
    "UnknownQueue",
    "UnknownReader",
    "UnknownSetting",
    "UnknownTable",
    "UnknownTemplate",
    "UnknownUser",
    "UnknownVirtualHost",
    "Unroutable",
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


# Client and messaging


class ClientError(PenstockError):
    """The client could not do it."""


class BadUrl(ClientError):
    """A broker's URL cannot be read."""


class NotConnected(ClientError):
    """There is no broker at the other end now; what was not confirmed may or may not have arrived."""


class LoginRefused(ClientError):
    """The broker does not let this user in, or not into that virtual host; trying again will not help."""


class BrokerRefused(ClientError):
    """The broker closed the channel or the connection because of what it was asked."""

    def __init__(self, message: str, *, code: int) -> None:
        super().__init__(message)
        #: AMQP's reply code.
        self.code = code


class PublishError(ClientError):
    """A message was not published, or nobody can tell."""


class Unroutable(PublishError):
    """No queue takes such a message; the broker gave it back."""


class PublishRefused(PublishError):
    """The broker took the message and would not keep it: a full queue, or trouble of its own."""


class RowsRefused(PublishError):
    """Some rows of a table were not published; all others were."""

    def __init__(self, message: str, *, unroutable: list[int], refused: list[int]) -> None:
        super().__init__(message)
        #: The numbers of the rows that no queue takes, counted from 0.
        self.unroutable = unroutable
        #: And of those that a full queue refused.
        self.refused = refused


class PublishTimeout(PublishError):
    """The deadline passed without a confirm: the message may or may not have arrived."""


class PublishLost(PublishError):
    """The connection went before the confirm came: the message may or may not have arrived."""


class NoReply(ClientError):
    """The deadline of a request passed without a reply to it."""


class MessagingError(PenstockError):
    """An application's messages, handlers or topology cannot be like that."""


class InvalidMessage(MessagingError):
    """What a message says is not what its type promises; no retry will change it."""


class UnknownEvent(InvalidMessage):
    """No event of that name and version is declared."""


class PersistentError(MessagingError):
    """A handler says: trying again will not help."""


class TransientError(MessagingError):
    """A handler says: something it needs is away for a while, the message is not to blame."""

    #: Seconds to be left alone for, if whatever is away said so, as HTTP's Retry-After does.
    retry_after: float | None = None


class TimeLimitExceeded(TransientError):
    """A handler took longer than it may."""


class TopologyError(MessagingError):
    """A topology cannot be, or is not what the broker has."""


class NotPortable(TopologyError):
    """That broker cannot do what the application asks of it."""


class UnknownDeadLetter(MessagingError):
    """No dead letter is kept under that name."""


class OutboxError(MessagingError):
    """The outbox or inbox could not do it; the transaction decides what remains."""


class ManagementMissing(TopologyError):
    """Nobody answers there as RabbitMQ's management plugin does."""


# Pipelines


class PipelineError(PenstockError):
    """Spark, or a pipeline on it, could not do it."""


class SparkUnavailable(PipelineError):
    """Spark cannot be started here."""


class NoJava(SparkUnavailable):
    """There is no Java that is new enough for Spark."""


class BadPipeline(PipelineError):
    """As it is declared, a pipeline cannot be; nothing was started."""


class UnknownPipeline(PipelineError):
    """No pipeline of that name is declared."""


class PipelineRunning(PipelineError):
    """The pipeline runs already: a checkpoint has one writer."""


class ColumnsChanged(PipelineError):
    """What a pipeline makes of rows no longer fits what it has written."""


class NotOnExecutors(PipelineError):
    """What a pipeline needs cannot be imported where its work is done."""


class NoRowToBlame(PipelineError):
    """A batch fails, and not because of single rows: none can be set aside."""


class TableError(PipelineError):
    """A table cannot be written or read like that."""


class UnknownTable(TableError):
    """There is no table at that place."""


class BadExpression(PipelineError):
    """An expression in Spark SQL cannot be."""


class CheckpointMismatch(PipelineError):
    """A query's checkpoint and the reader of its queue are not of one piece."""


class BadRow(PipelineError):
    """A row cannot be a message; the batch it stands in was not published any further."""
