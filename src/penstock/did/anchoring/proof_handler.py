"""The proof handler: a witness accepts an offer of this domain, and its proof joins the others.

Everything about an answer is looked at before it counts: that it answers an offer of ours, that whoever
answers is a witness of this anchor, that the proof is made with a key of the answerer's own domain, in time,
and on our credential. Answers that come late, or again, are ignored; those that are wrong are refused.
"""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Any, Final

from penstock.did.activities import Receipt, names
from penstock.did.anchoring.anchor_witnesses import Proof, read_witnesses
from penstock.did.anchoring.in_process import read_anchor
from penstock.did.anchoring.offering import offer_name
from penstock.did.anchoring.statuses import IN_PROCESS
from penstock.did.anchors import Anchor
from penstock.did.credentials.methods import domain_of, host_of
from penstock.did.credentials.proofs import check_proof, is_timely
from penstock.did.credentials.suites import ORBS, suite_of
from penstock.errors import BadActivity
from penstock.sidetree.canonical import canonical

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection

    from penstock.did.activities import Activity
    from penstock.did.anchoring.completion import Completion
    from penstock.did.anchoring.identity import Identity
    from penstock.did.anchoring.in_process import AnchorRecord
    from penstock.did.credentials import Keys
    from penstock.did.database import DomainDatabase

__all__ = ["ProofHandler"]

#: Bytes of a proof and its contexts. Everybody reads all proofs of an anchor, so none may be a burden.
LARGEST: Final = 16 * 1024

_log = logging.getLogger(__name__)


class ProofHandler:
    """Collects the proofs of this domain's anchors."""

    def __init__(
        self,
        identity: Identity,
        database: DomainDatabase,
        *,
        keys: Keys,
        completion: Completion,
        max_clock_skew: float,
    ) -> None:
        self._identity = identity
        self._database = database
        self._keys = keys
        self._completion = completion
        self._skew = max_clock_skew

    async def handle(self, told: Activity) -> None:
        """Take the proof of an accepted offer; if it is the last that is needed, publish the anchor.

        Raises:
            BadActivity: it is none, or answers no offer of ours to that witness; `rule` says why.
            BadCredential: the proof does not hold.
            Unavailable: the witness's key cannot be fetched now.
            StoreError, ClientError: the database or the broker is away.
        """
        if told.inner.type != names.OFFER:
            # The answer to a Follow or an Invite, which is somebody else's business.
            return
        receipt = Receipt.of(told)
        if receipt.author != self._identity.service:
            raise BadActivity("author", f"a receipt is for an offer of {receipt.author[:120]!r}, not of ours")
        record, witnesses = await self._database.ask(_read, receipt.anchor)
        if record is None:
            raise BadActivity(
                "anchor", f"a receipt is about {receipt.anchor[:120]!r}, which is not known here"
            )
        self._check_key(receipt)
        _check_shape(receipt)
        if record.linkset is None or record.status != IN_PROCESS:
            # A step after the last proof may have failed, and then this is the same Accept once more.
            await self._completion.settle(receipt.anchor)
            _log.info("a proof of %s for %s is not needed any more", receipt.witness, receipt.anchor)
            return
        self._check_asked(receipt, record, witnesses)
        credential = (await asyncio.to_thread(Anchor.parse, record.linkset)).credential
        if not is_timely(
            receipt.proof, issued_at=credential.issued_at, ends_at=record.ends_at, skew=self._skew
        ):
            _log.warning("a proof of %s for %s is out of time: ignored", receipt.witness, receipt.anchor)
            return
        # Of the contexts beside a proof the credential gets that of its suite alone, as in Orb. The others
        # explain the receipt; security/v1 contradicts credentials/v1, and no reader of JSON-LD takes both.
        proof = Proof(receipt.proof, (suite_of(receipt.proof).context,))
        await asyncio.to_thread(check_proof, credential.document, proof.document, self._keys)
        await self._completion.settle(receipt.anchor, witness=receipt.witness, proof=proof)

    def _check_key(self, receipt: Receipt) -> None:
        """A proof with somebody else's key is somebody else's proof, wherever it was found."""
        method: Any = receipt.proof.get("verificationMethod")
        owner = host_of(method) if isinstance(method, str) else ""
        if not owner or owner != domain_of(receipt.witness):
            raise BadActivity(
                "method", f"{receipt.witness[:120]!r} answers with a proof of {str(method)[:120]!r}"
            )

    def _check_asked(self, receipt: Receipt, record: AnchorRecord, witnesses: set[str]) -> None:
        ours = {offer_name(self._identity, record.anchor, number + 1) for number in range(record.round)}
        if receipt.offer not in ours:
            raise BadActivity("offer", f"a receipt is for {receipt.offer[:120]!r}, which is no offer of ours")
        if receipt.witness not in witnesses:
            raise BadActivity("witness", f"{receipt.witness[:120]!r} is no witness of {record.anchor}")


def _check_shape(receipt: Receipt) -> None:
    """No witness may spoil an anchor for those who read it."""
    size = len(canonical([dict(receipt.proof), list(receipt.contexts)]))
    if size > LARGEST:
        raise BadActivity("size", f"a proof of {size} bytes is not taken: {LARGEST} may be")
    if "@context" not in receipt.proof and str(receipt.proof.get("type")) not in ORBS:
        # It would hold only as long as no other proof brings a context of its own.
        raise BadActivity("context", "a proof does not tell which contexts it was made for (@context)")


def _read(connection: Connection, anchor: str) -> tuple[AnchorRecord | None, set[str]]:
    return read_anchor(connection, anchor), {each.iri for each in read_witnesses(connection, anchor)}
