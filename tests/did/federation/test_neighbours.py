from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from penstock.did.database import DomainDatabase
from penstock.did.federation import FEDERATION
from penstock.did.federation.lists import ALLOWED_ORIGINS, change_list
from penstock.did.federation.membership import WITNESSES, WITNESSING, add_member
from penstock.did.federation.neighbours import AllowedOrigins, Neighbours, WitnessPolicies
from penstock.did.federation.words import put_witness_policy
from penstock.did.witnesses import Policy, parse_policy
from penstock.errors import StoreError
from tests.did.operation_queue.helpers import run

if TYPE_CHECKING:
    from penstock.clock import VirtualClock


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


def test_allowed_origins_are_read_again_after_a_while(
    kept_in_memory: DomainDatabase, clock: VirtualClock
) -> None:
    origins = AllowedOrigins(kept_in_memory, ["*"], clock=clock, kept_for=60.0)
    assert run(origins()) == {"*"}
    kept_in_memory.do(change_list, ALLOWED_ORIGINS, ["*"], add=["https://a.example"], remove=["*"])
    clock.advance(59)
    assert run(origins()) == {"*"}
    clock.advance(1)
    assert run(origins()) == {"https://a.example"}


def test_while_the_database_is_away_the_origins_are_those_of_before(clock: VirtualClock) -> None:
    database = DomainDatabase("sqlite://")
    origins = AllowedOrigins(database, ["*"], clock=clock, kept_for=60.0)
    with pytest.raises(StoreError):
        run(origins())
    database.create(FEDERATION)
    assert run(origins()) == {"*"}
    database.do(FEDERATION.tables.drop_all)
    clock.advance(60)
    assert run(origins()) == {"*"}
    database.close()
