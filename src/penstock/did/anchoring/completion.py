"""Completing an anchor: when its proofs meet the policy it is published, and then it is completed.

Publishing comes first (orb#535): a crash before `completed` is written publishes the linkset again, as the
very same bytes, and whoever has it already ignores it.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from penstock.did.anchoring.anchor_witnesses import put_proof, read_proofs, read_witnesses
from penstock.did.anchoring.in_process import complete, mark_proved, read_anchor
from penstock.did.anchoring.messages import ANCHOR_LINKSET
from penstock.did.anchoring.noting import note_proved, note_published
from penstock.did.anchoring.statuses import IN_PROCESS, PROVED
from penstock.did.anchors import Anchor, with_credential
from penstock.did.credentials.proofs import MOST, proofs_of, with_proofs
from penstock.sidetree.canonical import canonical

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy.engine import Connection

    from penstock.clock import Clock
    from penstock.did.anchoring.anchor_witnesses import Proof
    from penstock.did.anchoring.in_process import AnchorRecord
    from penstock.did.anchoring.ports import Policies, Queues
    from penstock.did.database import DomainDatabase
    from penstock.did.parameters import DidParameters
    from penstock.did.witnesses import Policy

__all__ = ["Completion", "judge", "with_all_proofs"]


class Completion:
    """Sees an anchor through, once it has its proofs."""

    def __init__(
        self,
        database: DomainDatabase,
        *,
        queues: Queues,
        policies: Policies,
        parameters: DidParameters,
        clock: Clock,
    ) -> None:
        self._database = database
        self._queues = queues
        self._policies = policies
        self._parameters = parameters
        self._clock = clock

    async def settle(self, anchor: str, *, witness: str = "", proof: Proof | None = None) -> bool:
        """Publish and complete the anchor, if its proofs meet the policy; whether it is completed.

        Args:
            anchor: Its name; one that is not known, or completed before, is left alone.
            witness: Who has proved just now, if anybody has.
            proof: Its proof, which was checked.

        Raises:
            StoreError: the database is away.
            ClientError: the broker is.
        """
        policy = await self._policies.witness_policy()
        kind, now = self._parameters.anchor_data_uri_media_type, self._clock.now()
        record = await self._database.run(
            judge, anchor, policy, witness=witness, proof=proof, kind=kind, now=now
        )
        if record is None or record.status == IN_PROCESS:
            return False
        if record.status == PROVED and record.linkset is not None:
            await self._queues.publish(ANCHOR_LINKSET, record.linkset)
            kept_for = self._parameters.witness_store_expiry_period
            await self._database.run(_completed, anchor, now=self._clock.now(), kept_for=kept_for)
        return True


def judge(
    connection: Connection,
    anchor: str,
    policy: Policy,
    *,
    kind: str,
    now: float,
    witness: str = "",
    proof: Proof | None = None,
) -> AnchorRecord | None:
    """Add a proof, if there is one; if the policy is met, make the linkset final. Returns the anchor then."""
    record = read_anchor(connection, anchor, lock=True)
    if record is None or record.linkset is None or record.status != IN_PROCESS:
        return record
    if proof is not None:
        put_proof(connection, anchor, witness, proof)
    if not policy.is_met(read_witnesses(connection, anchor)):
        return record
    final = with_all_proofs(record.linkset, read_proofs(connection, anchor), kind=kind)
    mark_proved(connection, anchor, final)
    note_proved(connection, anchor, final, now)
    return read_anchor(connection, anchor)


def _completed(connection: Connection, anchor: str, *, now: float, kept_for: float) -> None:
    note_published(connection, anchor, now)
    complete(connection, anchor, now + kept_for)


def with_all_proofs(linkset: bytes, proofs: Sequence[Proof], *, kind: str) -> bytes:
    """The linkset with the witnesses' proofs on its credential; as many as readers will look at."""
    if not proofs:
        return linkset
    anchor = Anchor.parse(linkset)
    credential = anchor.credential.document
    added = list(islice(proofs, MOST - len(proofs_of(credential))))
    contexts = dict.fromkeys(context for proof in added for context in proof.contexts)
    proved = with_proofs(credential, [proof.document for proof in added], contexts=list(contexts))
    return canonical(with_credential(anchor.document, proved, kind=kind))
