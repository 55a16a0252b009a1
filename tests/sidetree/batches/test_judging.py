from __future__ import annotations

import pytest
from msgspec import MsgspecError

from penstock.sidetree.batches.judging import Queued, judge, judge_again, trusted
from penstock.sidetree.outcomes import Status
from penstock.sidetree.protocol import ORB, Protocols
from tests.sidetree.lives import NOW, ORIGIN, Life, whole_life

PROTOCOLS = Protocols([ORB])


def test_an_operation_that_holds_becomes_a_candidate_in_canonical_form() -> None:
    life = Life()
    request = life.create()
    found = judge(Queued(7, b" " + request + b"\n"), PROTOCOLS, NOW, origins={ORIGIN})
    assert (found.sequence, found.status, found.reason) == (7, Status.OK, "")
    assert found.candidate is not None
    assert (found.candidate.type, found.candidate.suffix, found.candidate.request) == (
        "create",
        life.suffix,
        request,
    )


@pytest.mark.parametrize(
    ("queued", "status", "reason"),
    [
        (Queued(1, b"{"), Status.INVALID, "no JSON"),
        (Queued(2, Life().create(), protocol_version=5), Status.INVALID, "genesis time 5"),
        (Queued(3, Life().create(origin="https://x.example")), Status.INVALID, "is not taken here"),
        (Queued(4, whole_life()[3]), Status.OK, ""),
    ],
)
def test_what_does_not_hold_costs_itself_only(queued: Queued, status: Status, reason: str) -> None:
    found = judge(queued, PROTOCOLS, NOW, origins={ORIGIN})
    assert (found.sequence, found.status) == (queued.sequence, status)
    assert reason in found.reason
    assert (found.candidate is None) == (status is not Status.OK)


def test_an_expired_operation_is_no_fault_of_anybodys() -> None:
    life = Life()
    life.create()
    found = judge(Queued(1, life.update(anchor_until=NOW)), PROTOCOLS, NOW)
    assert (found.status, found.kind) == (Status.EXPIRED, "OperationExpired")


@pytest.mark.parametrize(
    ("now", "status"), [(NOW, Status.OK), (NOW + 9, Status.OK), (NOW + 10, Status.EXPIRED)]
)
def test_what_was_judged_before_can_only_have_expired(now: int, status: Status) -> None:
    life = Life()
    life.create()
    before = judge(Queued(1, life.update(anchor_until=NOW + 10)), PROTOCOLS, NOW)
    assert before.candidate is not None
    again = judge_again(before.candidate, now)
    assert (again.sequence, again.status) == (1, status)
    assert again == judge(Queued(1, before.candidate.request), PROTOCOLS, now)


@pytest.mark.parametrize("number", range(4))
def test_a_candidate_is_had_again_from_what_was_kept_of_it(number: int) -> None:
    before = judge(Queued(1, whole_life()[number]), PROTOCOLS, NOW).candidate
    assert before is not None
    assert trusted(Queued(1, before.request), before.suffix, before.closes) == before


@pytest.mark.parametrize("request_", [b"{", b"{}", b'{"type":"forget"}'])
def test_what_is_no_request_is_no_candidate(request_: bytes) -> None:
    with pytest.raises((MsgspecError, KeyError)):
        trusted(Queued(1, request_), "EiA", None)


def test_a_create_never_expires() -> None:
    before = judge(Queued(1, Life().create()), PROTOCOLS, NOW)
    assert before.candidate is not None
    assert judge_again(before.candidate, 10**12) == before
