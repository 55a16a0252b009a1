from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from penstock.did.anchoring.anchor_witnesses import (
    Proof,
    add_witnesses,
    asked_in,
    forget_asked,
    mark_asked,
    put_proof,
    read_proofs,
    read_witnesses,
    remove_silent_origins,
    remove_system_witnesses,
)
from penstock.did.witnesses import BATCH, SYSTEM, Witness

if TYPE_CHECKING:
    from penstock.did.database import DomainDatabase

B_BATCH = Witness(iri="https://b", role=BATCH)
B_SYSTEM = Witness(iri="https://b", role=SYSTEM, has_log=True)
C_SYSTEM = Witness(iri="https://c", role=SYSTEM)
FIRST, SECOND = Proof({"proofValue": "z1"}, ("https://ctx",)), Proof({"proofValue": "z2"})


@pytest.fixture
def asked(kept: DomainDatabase) -> DomainDatabase:
    kept.do(add_witnesses, "hl:x", [C_SYSTEM, B_SYSTEM, B_BATCH])
    kept.do(add_witnesses, "hl:other", [C_SYSTEM])
    return kept


def test_witnesses_are_read_as_they_were_added(asked: DomainDatabase) -> None:
    assert asked.do(read_witnesses, "hl:x") == [B_BATCH, B_SYSTEM, C_SYSTEM]
    assert asked.do(read_witnesses, "hl:y") == []
    asked.do(add_witnesses, "hl:y", [])


def test_a_witness_that_is_there_stays_as_it_is(asked: DomainDatabase) -> None:
    asked.do(put_proof, "hl:x", "https://b", FIRST)
    asked.do(add_witnesses, "hl:x", [replace(B_SYSTEM, has_log=False)])
    assert asked.do(read_witnesses, "hl:x")[1] == replace(B_SYSTEM, has_proof=True)


def test_who_is_asked_is_asked_in_all_its_roles(asked: DomainDatabase) -> None:
    asked.do(mark_asked, "hl:x", ["https://b"], 1)
    asked.do(mark_asked, "hl:x", ["https://c"], 2)
    assert asked.do(asked_in, "hl:x", 1) == ["https://b"]
    assert asked.do(asked_in, "hl:x", 2) == ["https://c"]
    assert all(each.is_selected for each in asked.do(read_witnesses, "hl:x"))
    assert not asked.do(read_witnesses, "hl:other")[0].is_selected


def test_who_has_not_answered_may_be_asked_again(asked: DomainDatabase) -> None:
    asked.do(mark_asked, "hl:x", ["https://b", "https://c"], 1)
    asked.do(put_proof, "hl:x", "https://b", FIRST)
    asked.do(forget_asked, "hl:x")
    assert [each.is_selected for each in asked.do(read_witnesses, "hl:x")] == [True, True, False]


def test_the_first_proof_of_a_witness_counts_in_all_its_roles(asked: DomainDatabase) -> None:
    asked.do(put_proof, "hl:x", "https://b", FIRST)
    asked.do(put_proof, "hl:x", "https://b", SECOND)
    asked.do(put_proof, "hl:x", "https://stranger", SECOND)
    assert [each.has_proof for each in asked.do(read_witnesses, "hl:x")] == [True, True, False]
    assert asked.do(read_proofs, "hl:x") == [FIRST]
    assert asked.do(read_proofs, "hl:other") == []


def test_a_silent_origin_is_not_waited_for_but_its_other_role_stays(asked: DomainDatabase) -> None:
    silent, proved, not_asked = (f"https://{name}" for name in ("silent", "proved", "new"))
    origins = [Witness(iri=iri, role=BATCH) for iri in (silent, proved, not_asked)]
    asked.do(add_witnesses, "hl:x", [*origins, replace(origins[0], role=SYSTEM)])
    asked.do(mark_asked, "hl:x", [silent, proved], 1)
    asked.do(put_proof, "hl:x", proved, FIRST)
    assert asked.do(remove_silent_origins, "hl:x") == [silent]
    left = [(each.iri, each.role) for each in asked.do(read_witnesses, "hl:x")]
    assert {(silent, SYSTEM), (proved, BATCH), (not_asked, BATCH)} <= set(left)
    assert len(left) == 6


def test_who_no_longer_witnesses_is_not_waited_for_but_its_proof_stays(asked: DomainDatabase) -> None:
    asked.do(remove_system_witnesses, "hl:x", ["https://c"])
    assert asked.do(read_witnesses, "hl:x") == [B_BATCH, C_SYSTEM]
    asked.do(put_proof, "hl:x", "https://c", FIRST)
    asked.do(remove_system_witnesses, "hl:x", [])
    assert len(asked.do(read_witnesses, "hl:x")) == 2
    assert len(asked.do(read_witnesses, "hl:other")) == 1
