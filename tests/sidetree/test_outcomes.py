from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.sidetree.outcomes import Status, judged
from penstock.sidetree.protocol import ORB
from tests.sidetree.lives import NOW, Life, changed, whole_life

CREATE, UPDATE, RECOVER, DEACTIVATE = REQUESTS = whole_life()


def late() -> bytes:
    life = Life()
    life.create()
    return life.update(anchor_until=NOW)


def early() -> bytes:
    life = Life()
    life.create()
    return life.update(anchor_from=NOW + 60)


@pytest.mark.parametrize(
    ("request_", "status", "kind"),
    [
        (CREATE, Status.OK, ""),
        (late(), Status.EXPIRED, "OperationExpired"),
        (early(), Status.INVALID, "OperationEarly"),
        (b"{", Status.INVALID, "MalformedJson"),
        (changed(UPDATE, signedData="x"), Status.INVALID, "BadSignature"),
        (changed(CREATE, delta=None), Status.INVALID, "InvalidOperation"),
    ],
)
def test_every_request_has_one_of_three_ends(request_: bytes, status: Status, kind: str) -> None:
    outcome = judged(request_, ORB, NOW)
    assert (outcome.status, outcome.kind) == (status, kind)
    assert bool(outcome.reason) == (status is not Status.OK) == (outcome.operation is None)


@given(st.sampled_from(REQUESTS), st.integers(0), st.integers(1, 12), st.binary(max_size=12))
def test_no_damage_to_a_request_raises_anything(request_: bytes, at: int, length: int, put: bytes) -> None:
    place = at % len(request_)
    damaged = request_[:place] + put + request_[place + length :]
    assert judged(damaged, ORB, NOW).status in Status


@given(st.binary(max_size=60))
def test_whatever_comes_is_judged(data: bytes) -> None:
    assert judged(data, ORB, NOW).status is Status.INVALID
