"""Errors of a DID domain. Those that say so themselves are persistent or transient for whoever retries."""

from __future__ import annotations

from penstock.errors.messaging import PersistentError, TransientError
from penstock.errors.root import PenstockError

__all__ = [
    "ActivityRefused",
    "BadActivity",
    "BadAnchor",
    "BadCredential",
    "BadDataUri",
    "BadHashLink",
    "BadHttpSignature",
    "BadWitnessPolicy",
    "ContentForged",
    "ContentNotFound",
    "ContentTooLarge",
    "CutLost",
    "DidError",
    "KeysStrayed",
    "NotAcceptable",
    "NotInWallet",
    "OperationRefused",
    "PreviousUnknown",
    "QueueNotStarted",
    "RuleBroken",
    "TooEarly",
    "Unavailable",
    "WalletError",
    "WitnessesNotFound",
]


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


class OperationRefused(DidError):
    """A domain does not take an operation, or does not answer a question; its reason says why."""

    def __init__(self, message: str, *, status: int) -> None:
        super().__init__(message)
        self.status = status


class WalletError(DidError):
    """A wallet cannot be used like that; nothing was posted."""


class NotInWallet(WalletError):
    """The wallet holds no DID of that name."""


class KeysStrayed(WalletError):
    """The DID has gone another way than this wallet: it is an old copy, or somebody else has the keys."""


class TooEarly(WalletError):
    """What the operation builds upon is not known to the domain yet; wait until it is anchored."""
