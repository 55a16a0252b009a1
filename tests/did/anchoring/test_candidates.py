from __future__ import annotations

import pytest

from penstock.did.anchoring.candidates import Candidates
from penstock.did.witnesses import BATCH, SYSTEM, Witness
from penstock.errors import Unavailable
from tests.did.anchoring.helpers import A, B, C, PaperNeighbours, run


def test_the_origins_of_a_batch_but_this_domain_may_witness_it() -> None:
    neighbours = PaperNeighbours(logs={B.service})
    found = run(Candidates(A, neighbours, neighbours).of_batch([A.base, B.service, A.service, B.service]))
    assert found == [Witness(iri=B.service, role=BATCH, has_log=True)]


def test_those_who_have_agreed_may_witness_everything() -> None:
    neighbours = PaperNeighbours(invited=[C.service, A.service])
    candidates = Candidates(A, neighbours, neighbours)
    assert run(candidates.of_system()) == [Witness(iri=C.service, role=SYSTEM)]
    assert run(candidates.system()) == [C.service, A.service]


@pytest.mark.parametrize("error", [None, Unavailable("not now")])
def test_who_does_not_answer_is_left_out(error: Exception | None, caplog: pytest.LogCaptureFixture) -> None:
    neighbours = PaperNeighbours(invited=[B.service, C.service], silent={B.service}, error=error)
    found = run(Candidates(A, neighbours, neighbours).of_system())
    assert [each.iri for each in found] == [C.service]
    assert B.service in caplog.text
