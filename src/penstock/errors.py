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
    * SidetreeError: a DID operation, or what carries it, cannot be taken; nothing was changed
        * MalformedJson: bytes that are no JSON, or JSON that has no canonical form
        * BadEncoding: a text that is no base64url, no multihash, or not of the kind asked for
        * BadKey: a public key that cannot be, or that operations may not be signed with
        * BadSignature: it is no JWS, not of this key, or of an algorithm that does not fit the key
        * InvalidOperation: an operation breaks a rule; with the reason
            * OperationExpired, OperationEarly: it may no longer, or not yet, be anchored
            * BadPatch: a change to a document that cannot be
        * BadBatchFile: a batch's file breaks a rule; with the file and the reason
        * BadDid: a text that is no DID of this method
        * UnknownDid: no operation creates it
        * UnknownVersion: the DID never had that version, or no protocol has that number
    * DidError: a DID domain could not do it
        * NotAcceptable: what came from elsewhere does not hold; no retry will change it
            * BadHashLink: a text that is no hashlink, no resource hash and no CID
            * ContentNotFound: nobody who was asked has the content
            * ContentForged: bytes that are not what their hash says
            * ContentTooLarge: more bytes than there may be
            * BadDataUri: a data URI that cannot be read
            * ActivityRefused: another domain does not take what was sent to it
            * RuleBroken: with the rule's name
                * BadAnchor: an anchor linkset that is not to be published or observed
                * BadCredential: it, or a proof on it, does not hold
                * BadActivity: an activity of another domain that cannot be
                * BadHttpSignature: a request that is not signed as it must be
        * Unavailable: a store, another domain or its key cannot be reached now
        * BadWitnessPolicy: with the column where it goes wrong
        * WitnessesNotFound: the policy asks for more witnesses than there are
        * PreviousUnknown: DIDs are changed that have no anchor yet; with their suffixes
        * QueueNotStarted: the operation queue takes operations only while it runs
        * CutLost: another instance has taken the cut over, or it has gone another way
"""

from __future__ import annotations

__all__ = [
    "ActivityRefused",
    "AlreadyDifferent",
    "ArrowMissing",
    "BadActivity",
    "BadAnchor",
    "BadBatchFile",
    "BadConfiguration",
    "BadCredential",
    "BadDataUri",
    "BadDid",
    "BadEncoding",
    "BadExpression",
    "BadHashLink",
    "BadHttpSignature",
    "BadKey",
    "BadPatch",
    "BadPattern",
    "BadPermission",
    "BadPipeline",
    "BadRow",
    "BadSelector",
    "BadSetting",
    "BadSignature",
    "BadUrl",
    "BadUser",
    "BadVirtualHost",
    "BadWitnessPolicy",
    "BrokerRefused",
    "CannotListen",
    "CheckpointMismatch",
    "ClientError",
    "ColumnsChanged",
    "CommitAhead",
    "ConstraintBroken",
    "ContentForged",
    "ContentNotFound",
    "ContentTooLarge",
    "CutLost",
    "DidError",
    "InvalidMessage",
    "InvalidOperation",
    "Locked",
    "LoginRefused",
    "MalformedJson",
    "ManagementMissing",
    "MessagingError",
    "NoJava",
    "NoReply",
    "NoRowToBlame",
    "NotAcceptable",
    "NotAllowed",
    "NotConnected",
    "NotOnExecutors",
    "NotPermitted",
    "NotPortable",
    "OperationEarly",
    "OperationExpired",
    "OutboxError",
    "PenstockError",
    "PersistentError",
    "PipelineError",
    "PipelineRunning",
    "PreviousUnknown",
    "PublishError",
    "PublishLost",
    "PublishRefused",
    "PublishTimeout",
    "QueueNotStarted",
    "RangeGone",
    "ReaderInUse",
    "RowsRefused",
    "RuleBroken",
    "SecurityError",
    "SettingsError",
    "SidetreeError",
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
    "Unavailable",
    "UnknownConsumer",
    "UnknownDeadLetter",
    "UnknownDelivery",
    "UnknownDid",
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
    "UnknownVersion",
    "UnknownVirtualHost",
    "Unroutable",
    "WiringError",
    "WitnessesNotFound",
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


# Sidetree


class SidetreeError(PenstockError):
    """A DID operation, or what carries it, cannot be taken."""


class MalformedJson(SidetreeError):
    """These bytes are no JSON, or JSON that has no canonical form."""


class BadEncoding(SidetreeError):
    """A text is no base64url, no multihash, or not of the kind asked for."""


class BadKey(SidetreeError):
    """A public key cannot be, or operations may not be signed with its kind."""


class BadSignature(SidetreeError):
    """A signature is no JWS, is not of this key, or its algorithm does not fit the key."""


class InvalidOperation(SidetreeError):
    """A DID operation breaks a rule; no retry will change it."""


class OperationExpired(InvalidOperation):
    """The time until which the operation might be anchored has passed; its author signs a new one."""


class OperationEarly(InvalidOperation):
    """The time from which the operation may be anchored has not come."""


class BadPatch(InvalidOperation):
    """A change to a DID document cannot be made like that."""


class BadBatchFile(SidetreeError):
    """A file of a batch breaks a rule; the whole batch is refused."""

    def __init__(self, file: str, reason: str) -> None:
        super().__init__(f"{file}: {reason}")
        self.file = file
        self.reason = reason

    def __reduce__(self) -> tuple[type[BadBatchFile], tuple[str, str]]:
        # It crosses from Spark's executors to the driver.
        return BadBatchFile, (self.file, self.reason)


class BadDid(SidetreeError):
    """A text is no DID of this method."""


class UnknownDid(SidetreeError):
    """No operation that is known here creates that DID."""


class UnknownVersion(SidetreeError):
    """The DID never had that version, or no protocol has that number."""


# DID domain


class DidError(PenstockError):
    """A DID domain could not do it."""


class NotAcceptable(DidError, PersistentError):
    """What came from elsewhere does not hold; no retry will change it."""


class BadHashLink(NotAcceptable):
    """A text is no hashlink, no resource hash and no CID."""


class ContentNotFound(NotAcceptable):
    """Nobody who was asked has the content."""


class ContentForged(NotAcceptable):
    """Bytes are not what their hash says; who sent them errs or lies."""


class ContentTooLarge(NotAcceptable):
    """There are more bytes than there may be; reading stopped there."""


class BadDataUri(NotAcceptable):
    """A data URI cannot be read."""


class ActivityRefused(NotAcceptable):
    """Another domain does not take what was sent to it; its answer says why."""


class RuleBroken(NotAcceptable):
    """What came from elsewhere breaks a rule; the rule's name is for programs, the text for people."""

    def __init__(self, rule: str, message: str) -> None:
        super().__init__(message)
        self.rule = rule

    def __reduce__(self) -> tuple[type[RuleBroken], tuple[str, str]]:
        # It crosses from Spark's executors to the driver.
        return type(self), (self.rule, str(self))


class BadAnchor(RuleBroken):
    """An anchor linkset breaks a rule; it is not to be published or observed."""


class BadCredential(RuleBroken):
    """A credential, or a proof on it, does not hold."""


class BadActivity(RuleBroken):
    """An activity of another domain cannot be like that."""


class BadHttpSignature(RuleBroken):
    """A request is not signed, or not as it must be; whoever sent it signs it anew."""


class Unavailable(DidError, TransientError):
    """A store, another domain or its key cannot be reached now."""


class BadWitnessPolicy(DidError):
    """A witness policy cannot be read."""

    def __init__(self, message: str, *, policy: str, column: int) -> None:
        super().__init__(f"{message} (column {column}): {policy}")
        self.policy = policy
        #: Where it goes wrong, counted from 1.
        self.column = column


class WitnessesNotFound(DidError):
    """The witness policy asks for more witnesses than there are; invite some, or change the policy."""


class PreviousUnknown(DidError):
    """DIDs are changed that have no anchor yet; leave their operations to a later batch."""

    def __init__(self, message: str, *, suffixes: list[str]) -> None:
        super().__init__(message)
        self.suffixes = suffixes


class QueueNotStarted(DidError):
    """The operation queue takes operations only between its start and its stop."""


class CutLost(DidError):
    """A cut is no longer this instance's, or was settled before: what it holds is in other hands."""
