"""Errors of DID operations, and of what carries them."""

from __future__ import annotations

from penstock.errors.root import PenstockError

__all__ = [
    "BadBatchFile",
    "BadDid",
    "BadEncoding",
    "BadKey",
    "BadPatch",
    "BadSignature",
    "InvalidOperation",
    "MalformedJson",
    "OperationEarly",
    "OperationExpired",
    "SidetreeError",
    "UnknownDid",
    "UnknownVersion",
]


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
    """The time until which the operation could be anchored has passed; its author signs a new one."""


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
