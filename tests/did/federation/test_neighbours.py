from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.did.federation.membership import WITNESSES, WITNESSING, add_member
from penstock.did.federation.neighbours import Neighbours, WitnessPolicies
from penstock.did.federation.words import put_witness_policy
from penstock.did.witnesses import Policy, parse_policy
from tests.did.operation_queue.helpers import run

if TYPE_CHECKING:
    from penstock.clock import VirtualClock
    from penstock.did.database import DomainDatabase


def test_neighbours_are_as_the_collections_tell(kept_in_memory: DomainDatabase) -> None:
    neighbours = Neighbours(kept_in_memory)
    kept_in_memory.do(add_member, WITNESSES, "w", at=1.0)
    kept_in_memory.do(add_member, WITNESSING, "x", at=1.0)
    assert run(neighbours.witnesses()) == ["w"]
    assert run(neighbours.is_witnessing("x"))
    assert not run(neighbours.is_witnessing("w"))


def test_a_policy_is_read_again_after_a_while(kept_in_memory: DomainDatabase, clock: VirtualClock) -> None:
    policies = WitnessPolicies(kept_in_memory, clock=clock, kept_for=30.0)
    assert run(policies.witness_policy()) == Policy()
    kept_in_memory.do(put_witness_policy, "OutOf(1,system)")
    clock.advance(29)
    assert run(policies.witness_policy()) == Policy()
    clock.advance(1)
    assert run(policies.witness_policy()) == parse_policy("OutOf(1,system)")
