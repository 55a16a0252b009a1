from __future__ import annotations

from penstock.did.batches.judged import judged, why_idle
from tests.sidetree.lives import Life, anchored

LIFE = Life()
CREATE, UPDATE, RECOVER = LIFE.create(), LIFE.update(), LIFE.recover()
HISTORY = [
    anchored(request, LIFE.suffix, at, reference=name)
    for at, (name, request) in enumerate([("a", CREATE), ("b", UPDATE), ("c", RECOVER)], start=1)
]


def test_a_did_is_known_by_its_last_create_or_recover() -> None:
    assert judged(LIFE.suffix, HISTORY[:2]).did == f"did:orb:a:{LIFE.suffix}"
    assert judged(LIFE.suffix, HISTORY).did == f"did:orb:c:{LIFE.suffix}"


def test_what_counted_before_a_recovery_has_counted() -> None:
    found = judged(LIFE.suffix, HISTORY)
    assert [why_idle(found, LIFE.suffix, HISTORY, each) for each in "abc"] == ["", "", ""]


def test_without_a_create_nothing_resolves_and_nothing_counts() -> None:
    found = judged(LIFE.suffix, HISTORY[1:])
    assert (found.state, found.did) == (None, None)
    assert "creates the DID" in found.reason
    assert "creates the DID" in why_idle(found, LIFE.suffix, HISTORY[1:], "b")
