from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.did.operation_queue import reposting
from penstock.did.operation_queue.cuts import nack_cut
from penstock.did.operation_queue.heartbeat import retire
from penstock.did.operation_queue.reposting import Reposted, Reposter
from penstock.did.operation_queue.tables import DETACHED
from penstock.did.parameters import DidParameters
from penstock.did.queues import DomainQueues
from penstock.errors import PublishRefused
from tests.did.operation_queue.helpers import posted, read, run
from tests.did.operation_queue.support import NOW, cut_all, rows, take_all
from tests.outbox.recording import RecordingAlerts

if TYPE_CHECKING:
    import pytest

    from penstock.did.database import DomainDatabase
    from tests.did.operation_queue.helpers import PaperBroker


def reposter(
    database: DomainDatabase, broker: PaperBroker, alerts: RecordingAlerts | None = None
) -> Reposter:
    return Reposter(database, broker, policy=DidParameters().reposting, queues=DomainQueues(), alerts=alerts)


def nacked(database: DomainDatabase, *numbers: int, retries: int = 0) -> None:
    """Operations of a cut that has failed, under the claim `mine`."""
    record = cut_all(database, "me", *(posted(number, retries=retries) for number in numbers))
    database.do(nack_cut, record, claim="mine", now=NOW, error="it failed", blamed=[])


def test_what_is_claimed_is_posted_and_its_entries_go(kept: DomainDatabase, broker: PaperBroker) -> None:
    nacked(kept, 1, 2)
    assert run(reposter(kept, broker).repost("mine")) == Reposted(posted=2)
    assert rows(kept, "id") == []
    assert broker.delays == [5.0, 5.0]
    assert [read(message).retries for _, message in broker.queues["orb.operation"]] == [1, 1]


def test_more_than_a_page_is_posted_page_by_page(
    kept_in_memory: DomainDatabase, broker: PaperBroker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reposting, "PAGE", 2)
    nacked(kept_in_memory, *range(5))
    assert run(reposter(kept_in_memory, broker).repost("mine")) == Reposted(posted=5)


def test_what_the_broker_refuses_stays_detached_for_the_next_run(
    kept: DomainDatabase, broker: PaperBroker
) -> None:
    nacked(kept, 1, 2, 3)
    broker.errors[posted(2).id] = PublishRefused("full")
    assert run(reposter(kept, broker).repost("mine")) == Reposted(posted=2, left=1)
    assert rows(kept, "id", "task", "claim", "retries") == [(posted(2).id, DETACHED, None, 1)]
    broker.errors.clear()
    # Not its fault: the retry that was not posted is not counted twice.
    assert run(reposter(kept, broker).repost_due()) == Reposted(posted=1)
    assert rows(kept, "id") == []


def test_while_the_broker_is_away_nothing_is_lost(kept: DomainDatabase, broker: PaperBroker) -> None:
    nacked(kept, 1, 2)
    broker.is_connected = False
    assert run(reposter(kept, broker).repost("mine")) == Reposted(left=2)
    assert run(reposter(kept, broker).repost_due()) == Reposted(left=2)
    broker.is_connected = True
    assert run(reposter(kept, broker).repost_due()) == Reposted(posted=2)


def test_what_was_tried_too_often_is_a_dead_letter_and_somebody_is_told(
    kept_in_memory: DomainDatabase, broker: PaperBroker
) -> None:
    alerts = RecordingAlerts()
    nacked(kept_in_memory, 1, retries=20)
    assert run(reposter(kept_in_memory, broker, alerts).repost("mine")) == Reposted(discarded=1)
    assert [message.id for message in broker.dead] == [posted(1).id]
    assert [alert.kind for alert in alerts.raised] == ["exhausted"]
    assert rows(kept_in_memory, "id") == []


def test_operations_of_one_that_left_are_posted_without_a_delay(
    kept_in_memory: DomainDatabase, broker: PaperBroker
) -> None:
    take_all(kept_in_memory, "me", posted(1))
    kept_in_memory.do(retire, "me", NOW)
    assert run(reposter(kept_in_memory, broker).repost_due()) == Reposted(posted=1)
    assert broker.delays == [0.0]
    assert run(reposter(kept_in_memory, broker).repost_due()) == Reposted()


def test_what_became_of_several_claims_adds_up() -> None:
    assert Reposted(1, 2, 3) + Reposted(10, 20, 30) == Reposted(11, 22, 33)
