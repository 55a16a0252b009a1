from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from penstock.did.activities import Offer
from penstock.did.anchoring.anchor_witnesses import asked_in
from penstock.did.anchoring.in_process import expire_completed
from penstock.did.anchoring.monitor import ANCHOR_STATUS_MONITOR
from penstock.did.expiry import ExpiryService
from penstock.did.witnesses import SYSTEM, Witness, parse_policy
from penstock.errors import NotConnected
from tests.did.anchoring.helpers import A, B, C, D, Domain, created, run

if TYPE_CHECKING:
    from penstock.did.activities import Activity

GRACE, WINDOW, SKEW = 30.0, 600.0, 60.0
WITNESSES = (B.service, C.service, D.service)


@pytest.fixture
def anchor(author: Domain) -> str:
    """An anchor that one of three witnesses must prove."""
    author.neighbours.invited = [B.service, C.service, D.service]
    author.neighbours.policy = "OutOf(1,system)"
    found: str = run(author.write())
    return found


def look(author: Domain, after: float = GRACE) -> int:
    author.clock.advance(after)
    found: int = run(author.anchoring.monitor.run())
    return found


def asked(author: Domain) -> list[set[str]]:
    """Who was asked with each offer."""
    return [set(told.to) & {B.service, C.service, D.service} for told in author.post.told("Offer")]


def answer(author: Domain, domains: tuple[Domain, ...], told: Activity) -> None:
    """Whoever was asked answers."""
    for each in domains[1:]:
        if each.identity.service in told.to:
            run(author.anchoring.proofs.handle(run(each.answer(told, author))))


def test_an_anchor_is_left_alone_until_its_grace_is_over(author: Domain, anchor: str) -> None:
    look(author, GRACE - 1)
    assert len(asked(author)) == 1
    look(author, 1)
    assert len(asked(author)) == 2


def test_others_are_asked_in_place_of_the_silent_until_none_is_left(author: Domain, anchor: str) -> None:
    for _ in range(5):
        look(author)
    first, second, third = asked(author)
    assert first | second | third == {B.service, C.service, D.service}
    assert [len(each) for each in (first, second, third)] == [1, 1, 1]
    last = Offer.of(author.post.told("Offer")[-1])
    assert last.ends_at == last.starts_at + WINDOW
    assert author.status(anchor) == "in-process"


def test_when_the_offer_has_ended_everybody_may_be_asked_again(author: Domain, anchor: str) -> None:
    for _ in range(4):
        look(author)
    assert len(asked(author)) == 3
    look(author, WINDOW + SKEW + 2)
    assert len(asked(author)) == 4
    names = [told.name for told in author.post.told("Offer")]
    assert len(set(names)) == 4


def test_a_domain_that_was_away_for_long_loses_no_anchor(
    domains: tuple[Domain, Domain, Domain], author: Domain
) -> None:
    author.neighbours.invited = [B.service]
    anchor = run(author.write())
    for _ in range(5):
        look(author, 2 * (WINDOW + SKEW))
    # The last offer is answered when the witness is back.
    answer(author, domains, author.post.told("Offer")[-1])
    assert (author.status(anchor), len(author.queues.published)) == ("completed", 1)


def test_who_was_invited_meanwhile_is_asked_and_who_left_is_not_waited_for(author: Domain) -> None:
    author.neighbours.invited = [B.service]
    run(author.write())
    author.neighbours.invited = [C.service]
    look(author, WINDOW + SKEW + 1)
    assert asked(author) == [{B.service}, {C.service}]


def test_an_origin_that_never_proves_does_not_hold_up_its_batch_for_ever(
    author: Domain, caplog: pytest.LogCaptureFixture
) -> None:
    # Given a batch of two DIDs, one of which names an origin that is no witness of ours.
    anchor = run(author.write(created(1, A.service), created(2, B.service)))
    assert asked(author) == [{B.service}]
    # When it is silent, it is asked once more, since it may have been away.
    assert look(author, WINDOW + SKEW + 1) == 0
    assert asked(author) == [{B.service}] * 2
    # Then the anchor waits for it no longer.
    assert look(author, WINDOW + SKEW + 1) == 1
    assert (author.status(anchor), len(author.queues.published)) == ("completed", 1)
    assert f"no longer waits for {B.service}" in caplog.text


def test_a_silent_origin_is_still_asked_as_a_witness_of_this_domain(author: Domain) -> None:
    author.neighbours.invited = [B.service]
    anchor = run(author.write(created(1, B.service), created(2, C.service)))
    for _ in range(3):
        look(author, WINDOW + SKEW + 1)
    assert asked(author)[-1] == {B.service}
    assert author.status(anchor) == "in-process"


def test_an_anchor_is_completed_when_those_without_a_proof_have_left(
    domains: tuple[Domain, Domain, Domain], author: Domain
) -> None:
    author.neighbours.invited = [B.service, D.service]
    anchor = run(author.write())
    answer(author, domains, author.post.told("Offer")[0])
    author.neighbours.invited = [B.service]
    assert look(author, WINDOW + SKEW + 1) == 1
    assert author.status(anchor) == "completed"


def test_a_policy_that_asks_for_less_now_completes_what_waits(author: Domain, anchor: str) -> None:
    author.neighbours.policy = "OutOf(0,system)"
    assert look(author) == 1
    assert (author.status(anchor), len(author.queues.published)) == ("completed", 1)
    assert look(author) == 0


def test_an_offer_that_was_not_posted_is_posted(author: Domain) -> None:
    author.neighbours.invited = [B.service]
    author.post.is_away = True
    run(author.write())
    look(author)
    author.post.is_away = False
    look(author)
    assert asked(author) == [{B.service}]
    assert author.post.told("Offer")[0].actor == A.service


@pytest.mark.parametrize("error", [NotConnected("away"), ValueError("nobody has thought of this")])
def test_one_anchor_that_fails_does_not_hold_up_the_others(
    author: Domain, error: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    author.neighbours.invited = [B.service]
    author.post.is_away = True
    run(author.write())
    author.post.error = error
    author.neighbours.invited = []
    author.queues.is_away = True
    second = run(author.write(created(2)))
    author.queues.is_away = False
    assert look(author) == 1
    assert author.status(second) == "completed"
    assert "left to the next run" in caplog.text


def test_of_two_monitors_at_once_one_asks(author: Domain, anchor: str) -> None:
    author.clock.advance(WINDOW + SKEW + 1)
    seen = author.record(anchor)
    assert seen is not None
    monitor, policy = author.anchoring.monitor, parse_policy("OutOf(1,system)")
    renewed = (list(WITNESSES), [Witness(iri=each, role=SYSTEM) for each in WITNESSES])
    now = author.clock.now()
    first, second = (author.database.do(monitor._reselect, seen, policy, renewed, now) for _ in range(2))
    assert (len(first), second) == (1, [])
    # Whom the first has chosen is asked.
    assert author.database.do(asked_in, anchor, 2) == first


def test_an_anchor_that_is_gone_meanwhile_is_left_alone(author: Domain) -> None:
    assert not run(author.anchoring.monitor.look_at("hl:gone"))


def test_so_many_are_looked_at_each_time(author: Domain) -> None:
    author.queues.is_away = True
    for number in range(3):
        run(author.write(created(number)))
    author.queues.is_away = False
    author.anchoring.monitor._parameters = type(author.parameters)(anchor_status_max_records=2)
    assert [look(author), look(author), look(author)] == [2, 1, 0]


def test_the_monitor_is_a_task_and_what_is_completed_expires(author: Domain) -> None:
    anchor = run(author.write())
    expiry = ExpiryService(author.database, clock=author.clock)
    expiry.register("completed anchors", expire_completed)
    task = author.anchoring.monitor.task
    assert (task.name, task.interval, task.run) == (ANCHOR_STATUS_MONITOR, 5.0, author.anchoring.monitor.run)
    author.clock.advance(720)
    assert run(expiry.run()) == {"completed anchors": 1}
    assert author.status(anchor) == "unknown"
