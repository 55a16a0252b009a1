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
    * PanelMissing: the panel needs a web server's libraries
    * ApiFault: a visit to the panel that cannot be answered; with its status (penstock.panel)
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
            * UnknownRoute: no handler of the worker is for that job
            * BadChannel: no channel or pipe can be called so
        * PersistentError, TransientError: what a handler says about its failure
            * NotStorable: the database can hold no such value
            * TimeLimitExceeded
            * ProcessDied: the process that did a job died with it
            * TakenTooOften: workers took the job again and again, and none finished it
            * RequestRefused: what a gateway's client asks for cannot be; with the status it is told
        * TakenBefore: a worker took the job and went without a word
        * JobFailed: the job that was waited for is a dead letter
        * BadToken: a session token that is not ours, was changed, or is over
        * BadSchedule: it cannot be read, or never comes to pass
        * NoSchedules: keys and crons need a database, and none was named
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
        * OperationRefused: a domain does not take an operation, or does not answer; with the status
        * WalletError: a wallet cannot be used like that; nothing was posted
            * NotInWallet: no DID of that name is there
            * KeysStrayed: the DID has gone another way than the wallet
            * TooEarly: what the operation builds upon is not known to the domain yet
"""

from penstock.errors.broker import (
    AlreadyDifferent,
    ArrowMissing,
    BadConfiguration,
    BadPattern,
    BadPermission,
    BadSelector,
    BadSetting,
    BadUser,
    BadVirtualHost,
    CannotListen,
    CommitAhead,
    ConstraintBroken,
    Locked,
    NotAllowed,
    NotPermitted,
    PanelMissing,
    RangeGone,
    ReaderInUse,
    SecurityError,
    SettingsError,
    StillUsed,
    StoreDamaged,
    StoreError,
    StoreForeign,
    StoreFull,
    StoreLocked,
    StoreReadOnly,
    StoreTooNew,
    UnknownConsumer,
    UnknownDelivery,
    UnknownName,
    UnknownProxy,
    UnknownProxyClass,
    UnknownQueue,
    UnknownReader,
    UnknownSetting,
    UnknownTemplate,
    UnknownUser,
    UnknownVirtualHost,
    WiringError,
)
from penstock.errors.did import (
    ActivityRefused,
    BadActivity,
    BadAnchor,
    BadCredential,
    BadDataUri,
    BadHashLink,
    BadHttpSignature,
    BadWitnessPolicy,
    ContentForged,
    ContentNotFound,
    ContentTooLarge,
    CutLost,
    DidError,
    KeysStrayed,
    NotAcceptable,
    NotInWallet,
    OperationRefused,
    PreviousUnknown,
    QueueNotStarted,
    RuleBroken,
    TooEarly,
    Unavailable,
    WalletError,
    WitnessesNotFound,
)
from penstock.errors.gateway import BadChannel, BadToken, RequestRefused
from penstock.errors.messaging import (
    BadUrl,
    BrokerRefused,
    ClientError,
    InvalidMessage,
    LoginRefused,
    ManagementMissing,
    MessagingError,
    NoReply,
    NotConnected,
    NotPortable,
    NotStorable,
    OutboxError,
    PersistentError,
    PublishError,
    PublishLost,
    PublishRefused,
    PublishTimeout,
    RowsRefused,
    TimeLimitExceeded,
    TopologyError,
    TransientError,
    UnknownDeadLetter,
    UnknownEvent,
    Unroutable,
)
from penstock.errors.pipelines import (
    BadExpression,
    BadPipeline,
    BadRow,
    CheckpointMismatch,
    ColumnsChanged,
    NoJava,
    NoRowToBlame,
    NotOnExecutors,
    PipelineError,
    PipelineRunning,
    SparkUnavailable,
    TableError,
    UnknownPipeline,
    UnknownTable,
)
from penstock.errors.root import PenstockError
from penstock.errors.sidetree import (
    BadBatchFile,
    BadDid,
    BadEncoding,
    BadKey,
    BadPatch,
    BadSignature,
    InvalidOperation,
    MalformedJson,
    OperationEarly,
    OperationExpired,
    SidetreeError,
    UnknownDid,
    UnknownVersion,
)
from penstock.errors.workers import (
    BadSchedule,
    JobFailed,
    NoSchedules,
    ProcessDied,
    TakenBefore,
    TakenTooOften,
    UnknownRoute,
)

__all__ = [
    "ActivityRefused",
    "AlreadyDifferent",
    "ArrowMissing",
    "BadActivity",
    "BadAnchor",
    "BadBatchFile",
    "BadChannel",
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
    "BadSchedule",
    "BadSelector",
    "BadSetting",
    "BadSignature",
    "BadToken",
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
    "JobFailed",
    "KeysStrayed",
    "Locked",
    "LoginRefused",
    "MalformedJson",
    "ManagementMissing",
    "MessagingError",
    "NoJava",
    "NoReply",
    "NoRowToBlame",
    "NoSchedules",
    "NotAcceptable",
    "NotAllowed",
    "NotConnected",
    "NotInWallet",
    "NotOnExecutors",
    "NotPermitted",
    "NotPortable",
    "NotStorable",
    "OperationEarly",
    "OperationExpired",
    "OperationRefused",
    "OutboxError",
    "PanelMissing",
    "PenstockError",
    "PersistentError",
    "PipelineError",
    "PipelineRunning",
    "PreviousUnknown",
    "ProcessDied",
    "PublishError",
    "PublishLost",
    "PublishRefused",
    "PublishTimeout",
    "QueueNotStarted",
    "RangeGone",
    "ReaderInUse",
    "RequestRefused",
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
    "TakenBefore",
    "TakenTooOften",
    "TimeLimitExceeded",
    "TooEarly",
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
    "UnknownRoute",
    "UnknownSetting",
    "UnknownTable",
    "UnknownTemplate",
    "UnknownUser",
    "UnknownVersion",
    "UnknownVirtualHost",
    "Unroutable",
    "WalletError",
    "WiringError",
    "WitnessesNotFound",
]
