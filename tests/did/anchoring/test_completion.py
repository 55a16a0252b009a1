from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from threading import Event
from typing import TYPE_CHECKING, Any

import pytest

from penstock.did.anchoring.anchor_witnesses import Proof
from penstock.did.anchoring.completion import Completion, judge, with_all_proofs
from penstock.did.anchors import GZIP, JSON, Anchor
from penstock.did.credentials import check, proofs_of
from penstock.did.credentials.proofs import MOST
from penstock.did.witnesses import Policy, parse_policy
from penstock.errors import NotConnected
from penstock.sidetree.canonical import canonical
from tests.did.anchoring.helpers import A, B, C, D, Domain, PaperKeys, run

if TYPE_CHECKING:
    from collections.abc import Iterable

    from penstock.clock import VirtualClock
    from penstock.did.anchoring import Identity
    from penstock.did.database import DomainDatabase
    from penstock.did.witnesses import Witness


def completion(author: Domain) -> Completion:
    return Completion(
        author.database,
        queues=author.queues,
        policies=author.neighbours,
        parameters=author.parameters,
        clock=author.clock,
    )


@pytest.fixture
def offered(author: Domain) -> str:
    """An anchor that two of three witnesses must prove."""
    author.neighbours.invited = [B.service, C.service, D.service]
    author.neighbours.policy = "OutOf(2,system)"
    anchor: str = run(author.write())
    return anchor


def credential(author: Domain, anchor: str) -> Any:
    record = author.record(anchor)
    assert record is not None
    assert record.linkset is not None
    return Anchor.parse(record.linkset).credential.document


def settle(author: Domain, anchor: str, who: Identity | None = None, *contexts: str) -> bool:
    witness, proof = "", None
    if who is not None:
        witness = who.service
        proof = Proof(who.proof(credential(author, anchor), at=author.clock.now()), contexts)
    found: bool = run(completion(author).settle(anchor, witness=witness, proof=proof))
    return found


def test_an_anchor_is_completed_with_the_proof_that_meets_the_policy(author: Domain, offered: str) -> None:
    assert not settle(author, offered)
    assert not settle(author, offered, B, "https://of-b", "https://of-both")
    assert settle(author, offered, C, "https://of-both")
    assert author.status(offered) == "completed"
    found = Anchor.read(author.queues.of("anchor_linkset")[0])
    document = found.credential.document
    check(document, PaperKeys())
    assert [each["verificationMethod"] for each in proofs_of(document)][1:] == [B.method, C.method]
    assert document["@context"][-2:] == ["https://of-b", "https://of-both"]
    assert found.uri == offered


def test_what_is_completed_or_unknown_is_left_alone(author: Domain, offered: str) -> None:
    settle(author, offered, B)
    settle(author, offered, C)
    assert settle(author, offered)
    assert not settle(author, "hl:unknown")
    assert len(author.queues.published) == 1


def test_what_could_not_be_published_is_published_as_it_was(author: Domain, offered: str) -> None:
    settle(author, offered, B)
    author.queues.is_away = True
    with pytest.raises(NotConnected):
        settle(author, offered, C)
    assert author.status(offered) == "proved"
    final = author.record(offered)
    author.queues.is_away = False
    # A further proof comes too late: the linkset is final.
    assert settle(author, offered, D)
    assert final is not None
    assert author.queues.published == [("anchor_linkset", final.linkset)]


def test_a_policy_that_asks_for_less_now_completes_what_waits(author: Domain, offered: str) -> None:
    settle(author, offered, B)
    author.neighbours.policy = "OutOf(1,system)"
    assert settle(author, offered)


def test_a_proof_of_a_stranger_does_not_count(author: Domain, offered: str) -> None:
    author.neighbours.policy = "OutOf(1,system)"
    proof = Proof({"proofValue": "z"})
    policy = parse_policy("OutOf(1,system)")
    kept = author.database.do(judge, offered, policy, kind=GZIP, now=1.0, witness="https://x", proof=proof)
    assert kept is not None
    assert kept.status == "in-process"


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting(Policy):
    """Two proofs are enough. Who is judged first waits to see whether another is judged meanwhile."""

    first: Event = field(default_factory=Event)
    second: Event = field(default_factory=Event)

    def is_met(self, witnesses: Iterable[Witness]) -> bool:
        collected = sum(each.has_proof for each in witnesses)
        if self.first.is_set():
            self.second.set()
        else:
            self.first.set()
            self.second.wait(0.3)
        return collected >= 2


def test_of_two_proofs_at_once_the_second_is_judged_with_the_first(
    kept: DomainDatabase, clock: VirtualClock
) -> None:
    author = Domain(A, kept, clock)
    author.neighbours.invited = [B.service, C.service]
    anchor = run(author.write())
    document, policy = credential(author, anchor), Waiting()

    def judged(who: Identity) -> str:
        proof = Proof(who.proof(document, at=clock.now()))
        found = kept.do(judge, anchor, policy, kind=GZIP, now=clock.now(), witness=who.service, proof=proof)
        assert found is not None
        return found.status

    with ThreadPoolExecutor(2) as threads:
        first = threads.submit(judged, B)
        assert policy.first.wait(10)
        second = threads.submit(judged, C)
        assert [first.result(10), second.result(10)] == ["in-process", "proved"]


def test_no_more_proofs_are_added_than_readers_look_at(author: Domain, offered: str) -> None:
    record = author.record(offered)
    assert record is not None
    assert record.linkset is not None
    many = [Proof({"proofValue": str(number)}) for number in range(MOST + 5)]
    found = Anchor.parse(with_all_proofs(record.linkset, many, kind=JSON))
    assert len(proofs_of(found.credential.document)) == MOST
    assert with_all_proofs(record.linkset, [], kind=GZIP) == record.linkset
    assert canonical(found.document) == found.content
