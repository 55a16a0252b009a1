"""Any history of an author's anchors: proofs in any order, twice and late, crashes between any two steps.

An instance has a database, an outbox and a broker on paper, which outlive it. It may end before or after
every transaction, every post and every publish. Whatever has happened: an anchor is completed exactly when
its proofs meet the policy, is published at least once and always as the same bytes, and none is lost.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from penstock.clock import VirtualClock
from penstock.did.activities import Activity, Offer, accept_offer
from penstock.did.anchoring import ANCHORING
from penstock.did.anchoring.anchor_witnesses import read_witnesses
from penstock.did.anchors import Anchor
from penstock.did.credentials import check, proofs_of
from penstock.did.database import DomainDatabase
from penstock.did.operation_queue import OPERATION_QUEUE
from penstock.did.operations import OPERATIONS
from penstock.errors import BadActivity, CutLost
from penstock.sidetree.canonical import canonical
from penstock.testing import Crash
from tests.did.anchoring.helpers import NOW, A, B, C, D, Domain, PaperKeys, created
from tests.did.operation_queue.mortal import Fuse, MortalDatabase

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from penstock.did.operation_queue import Cut
    from tests.did.operation_queue.mortal import End

WITNESSES = {each.service: each for each in (B, C, D)}
#: How many of the three must prove.
POLICIES = {"": 3, "OutOf(2,system)": 2, "OutOf(1,system)": 1, "OutOf(0,system)": 0}
#: Within which everything comes to its end.
ROUNDS = 60

NTH = st.integers(0, 7)
ENDS = st.one_of(st.none(), st.tuples(st.integers(1, 7), st.booleans()))


class Mortal:
    """An outbox or a broker, at whose verbs an instance may end."""

    def __init__(self, real: Any, fuse: Fuse) -> None:
        self._real = real
        self._fuse = fuse

    async def post(self, activity: Any, **more: Any) -> None:
        await self._step(self._real.post(activity, **more))

    async def publish(self, queue: str, payload: bytes) -> None:
        await self._step(self._real.publish(queue, payload))

    async def _step(self, verb: Any) -> None:
        try:
            is_last = self._fuse.before()
        except Crash:
            verb.close()
            raise
        await verb
        if is_last:
            raise Crash


class AnchoringModel(RuleBasedStateMachine):
    @initialize(policy=st.sampled_from(sorted(POLICIES)))
    def begin(self, policy: str) -> None:
        self.loop = asyncio.new_event_loop()
        self.clock = VirtualClock(NOW)
        self.database = DomainDatabase("sqlite://")
        self.database.create(OPERATION_QUEUE, OPERATIONS, ANCHORING)
        self.domain = Domain(A, self.database, self.clock)
        self.domain.neighbours.invited = list(WITNESSES)
        self.domain.neighbours.policy = policy
        self.needed = POLICIES[policy]
        self.fuse = Fuse()
        self.instance = Domain(
            A, MortalDatabase(self.database.engine, self.fuse), self.clock, shares=self.domain
        )
        self.instance.compose(Mortal(self.domain.post, self.fuse), Mortal(self.domain.queues, self.fuse))
        self.cuts: list[Cut] = []
        self.anchors: set[str] = set()
        self.mail: list[Activity] = []
        self.a_batch_is_cut()

    def run(self, story: Awaitable[Any], end: End | None = None) -> None:
        self.fuse.set(end)
        with suppress(Crash):
            self.loop.run_until_complete(story)
        self.fuse.set(None)

    # What the author does

    @precondition(lambda self: len(self.cuts) < 3)
    @rule()
    def a_batch_is_cut(self) -> None:
        self.cuts.append(self.loop.run_until_complete(self.domain.cut(created(len(self.cuts)))))

    @rule(nth=NTH, end=ENDS)
    def a_batch_is_anchored(self, nth: int, end: End | None) -> None:
        cut = self.instance.reopened(self.cuts[nth % len(self.cuts)])
        with suppress(CutLost):
            self.run(self.instance.anchoring.writer.write(cut), end)
        found = self.domain.reopened(cut)
        if found.anchor is not None:
            self.anchors.add(found.anchor)

    @rule(end=ENDS)
    def the_monitor_runs(self, end: End | None) -> None:
        self.run(self.instance.anchoring.monitor.run(), end)

    # What the witnesses do

    @precondition(lambda self: self.domain.post.posted)
    @rule(nth=NTH, who=st.sampled_from(sorted(WITNESSES)))
    def a_witness_answers(self, nth: int, who: str) -> None:
        offers = self.domain.post.told("Offer")
        told = offers[nth % len(offers)]
        if who in told.to:
            self.mail.append(self.answer(told, who))

    def answer(self, told: Activity, who: str) -> Activity:
        offered, now = Offer.of(told), self.clock.now()
        anchor = Anchor.read(offered.linkset)
        proof = WITNESSES[who].proof(anchor.credential.document, at=now)
        answer = accept_offer(
            offered, name=f"{who}/{told.name}", actor=who, anchor=anchor.uri, proof=proof, at=now, ends_at=now
        )
        return Activity.parse(canonical(answer))

    @precondition(lambda self: self.mail)
    @rule(nth=NTH, end=ENDS)
    def an_answer_arrives(self, nth: int, end: End | None) -> None:
        # It stays in the mail: it may arrive again.
        self.run(self.instance.anchoring.proofs.handle(self.mail[nth % len(self.mail)]), end)

    @rule(seconds=st.sampled_from([1.0, 31.0, 300.0, 700.0]))
    def time_passes(self, seconds: float) -> None:
        self.clock.advance(seconds)

    # What holds

    def proofs(self, anchor: str) -> int:
        return sum(each.has_proof for each in self.database.do(read_witnesses, anchor))

    def published(self) -> dict[str, set[bytes]]:
        found: dict[str, set[bytes]] = {}
        for _, payload in self.domain.queues.published:
            found.setdefault(Anchor.parse(payload).uri, set()).add(payload)
        return found

    @invariant()
    def an_anchor_waits_as_long_as_the_policy_is_not_met(self) -> None:
        for anchor in self.anchors:
            if self.domain.status(anchor) == "in-process":
                # With none needed it is judged after it is on record, by whoever comes first.
                assert self.proofs(anchor) < self.needed or not self.needed
            elif self.domain.status(anchor) == "proved":
                assert self.proofs(anchor) == self.needed

    @invariant()
    def what_is_published_has_the_proofs_and_is_always_the_same(self) -> None:
        for anchor, payloads in self.published().items():
            (payload,) = payloads
            document = Anchor.parse(payload).credential.document
            assert len(proofs_of(document)) == 1 + self.needed
            assert self.domain.status(anchor) in {"proved", "completed"}

    @invariant()
    def what_is_completed_was_published(self) -> None:
        completed = {each for each in self.anchors if self.domain.status(each) == "completed"}
        assert completed <= set(self.published())

    def teardown(self) -> None:
        if not hasattr(self, "loop"):
            return
        for _ in range(ROUNDS):
            if self.is_over():
                break
            self.everybody_works()
        assert self.is_over()
        for payloads in self.published().values():
            check(Anchor.parse(min(payloads)).credential.document, PaperKeys())
        self.what_is_published_has_the_proofs_and_is_always_the_same()
        assert len(self.published()) == len(self.cuts)
        self.loop.run_until_complete(self.loop.shutdown_default_executor())
        self.loop.close()
        self.database.close()

    def is_over(self) -> bool:
        found = {self.domain.reopened(cut).anchor for cut in self.cuts}
        return None not in found and all(self.domain.status(str(each)) == "completed" for each in found)

    def everybody_works(self) -> None:
        for number, cut in enumerate(self.cuts):
            if self.domain.reopened(cut).state == "files":
                self.a_batch_is_anchored(number, None)
        self.the_monitor_runs(None)
        for told in self.domain.post.told("Offer"):
            for who in set(told.to) & set(WITNESSES):
                with suppress(BadActivity):
                    self.run(self.instance.anchoring.proofs.handle(self.answer(told, who)))
        self.time_passes(31.0)


TestAnchoring = AnchoringModel.TestCase
TestAnchoring.settings = settings(max_examples=15, stateful_step_count=25, deadline=None)
