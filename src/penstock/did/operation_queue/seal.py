"""The domain's seal on operations that it has checked itself, so that nobody has to check them again. Pure.

Whoever may post to the domain's queue can say of an operation that it was checked; only who has the domain's
key can seal that. What is not sealed is checked before it goes into a batch. If the key is another one by
then, the seals of what waits are broken, which costs time and nothing else.
"""

from __future__ import annotations

from hashlib import blake2b
from hmac import compare_digest, digest
from typing import TYPE_CHECKING, Final

import msgspec
from msgspec.structs import replace

from penstock.did.operation_queue.operation import Checked

if TYPE_CHECKING:
    from penstock.did.credentials import SigningKey
    from penstock.did.operation_queue.operation import QueuedOperation

__all__ = ["Seal"]

#: What the key is used for here; it signs, too.
PURPOSE: Final = b"operations that this domain has checked"
#: Bytes of a seal: nobody can try enough of them.
LENGTH: Final = 16

_encode: Final = msgspec.msgpack.Encoder().encode


class Seal:
    """Seals operations, and knows its own again."""

    __slots__ = ("_secret",)

    def __init__(self, key: SigningKey) -> None:
        self._secret = digest(key.pem, PURPOSE, "sha256")

    def __repr__(self) -> str:
        return "<Seal>"

    def on(self, operation: QueuedOperation, *, closes: int | None) -> QueuedOperation:
        """The operation, sealed: all of it was checked, and that holds until it expires."""
        return replace(operation, checked=Checked(closes, self._of(operation, closes)))

    def known(self, operation: QueuedOperation) -> Checked | None:
        """What this domain has said of exactly this operation, if it has checked it."""
        said = operation.checked
        if not isinstance(said, Checked) or not compare_digest(said.seal, self._of(operation, said.closes)):
            return None
        return said

    def _of(self, operation: QueuedOperation, closes: int | None) -> bytes:
        # What a batch takes from it without another look.
        told = (
            operation.type,
            operation.unique_suffix,
            operation.namespace,
            operation.anchor_origin,
            operation.protocol_version,
            closes,
        )
        # A MAC of its own (RFC 7693 §2.9), in two thirds of HMAC's time.
        said = _encode(told) + operation.operation_request
        return blake2b(said, key=self._secret, digest_size=LENGTH).digest()
