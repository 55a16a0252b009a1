"""Errors of the client, and of an application's messages, handlers and topology."""

from __future__ import annotations

from penstock.errors.root import PenstockError

__all__ = [
    "BadUrl",
    "BrokerRefused",
    "ClientError",
    "InvalidMessage",
    "LoginRefused",
    "ManagementMissing",
    "MessagingError",
    "NoReply",
    "NotConnected",
    "NotPortable",
    "NotStorable",
    "OutboxError",
    "PersistentError",
    "PublishError",
    "PublishLost",
    "PublishRefused",
    "PublishTimeout",
    "RowsRefused",
    "TimeLimitExceeded",
    "TopologyError",
    "TransientError",
    "UnknownDeadLetter",
    "UnknownEvent",
    "Unroutable",
]


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

    def __init__(self, message: str, *, is_final: bool = False) -> None:
        super().__init__(message)
        #: It is the message, or where it was to go: it will be refused again tomorrow.
        self.is_final = is_final


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


class NotStorable(PersistentError):
    """The database can hold no such value; nothing was written, and no retry will change it."""


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
