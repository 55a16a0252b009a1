from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.did.operation_queue.cuts import open_cuts
from penstock.did.operation_queue.heartbeat import beat, retire
from penstock.did.operation_queue.monitor import Monitor, recover
from penstock.did.operation_queue.reposting import Reposted, Reposter
from penstock.did.operation_queue.tables import DETACHED, tasks
from penstock.did.parameters import DidParameters
from penstock.did.queues import DomainQueues
from tests.did.operation_queue.helpers import posted, read, run
from tests.did.operation_queue.support import NOW, cut_all, rows, take_all

if TYPE_CHECKING:
    from penstock.clock import VirtualClock
    from penstock.did.database import DomainDatabase
    from tests.did.operation_queue.helpers import PaperBroker


def monitor(
    database: DomainDatabase, broker: PaperBroker, *, me: str = "me", limit: int | None = None
) -> Monitor:
    reposter = Reposter(database, broker, policy=DidParameters().reposting, queues=DomainQueues())
    return Monitor(database, reposter, me=me, clock=broker.clock, expiration=30.0, max_ops_to_repost=limit)


def test_a_dead_instances_operations_are_posted_anew_and_its_entry_goes(
    kept: DomainDatabase, broker: PaperBroker, clock: VirtualClock
) -> None:
    take_all(kept, "dead", posted(1), posted(2, retries=3))
    clock.advance(20)
    take_all(kept, "alive", posted(3), now=clock.now())
    clock.advance(11)
    assert run(monitor(kept, broker).run()) == Reposted(posted=2)
    assert [read(message).retries for _, message in broker.queues["orb.operation"]] == [1, 4]
    assert rows(kept, "task") == ["alive"]
    assert rows(kept, "task", table=tasks) == ["alive", "me"]


def test_its_own_operations_are_left_alone_however_old(
    kept_in_memory: DomainDatabase, broker: PaperBroker, clock: VirtualClock
) -> None:
    take_all(kept_in_memory, "me", posted(1))
    clock.advance(3600)
    assert run(monitor(kept_in_memory, broker).run()) == Reposted()
    assert rows(kept_in_memory, "task") == ["me"]


def test_cuts_of_a_dead_instance_are_adopted_and_not_posted(
    kept: DomainDatabase, broker: PaperBroker, clock: VirtualClock
) -> None:
    record = cut_all(kept, "dead", posted(1))
    clock.advance(31)
    assert run(monitor(kept, broker).run()) == Reposted()
    assert [each.id for each in kept.do(open_cuts, "me")] == [record.id]
    # Under an entry, even if this one was taken for dead before: otherwise nobody would find them again.
    assert rows(kept, "task", table=tasks) == ["me"]


def test_only_so_many_are_posted_in_one_run_and_the_entry_stays_until_the_last(
    kept: DomainDatabase, broker: PaperBroker, clock: VirtualClock
) -> None:
    take_all(kept, "dead", *(posted(number) for number in range(5)))
    clock.advance(31)
    watch = monitor(kept, broker, limit=2)
    assert [run(watch.run()).posted for _ in range(4)] == [2, 2, 1, 0]
    assert rows(kept, "task", table=tasks) == ["me"]


def test_what_cannot_be_posted_is_detached_and_posted_by_the_next_run(
    kept: DomainDatabase, broker: PaperBroker, clock: VirtualClock
) -> None:
    take_all(kept, "dead", posted(1))
    clock.advance(31)
    broker.is_connected = False
    assert run(monitor(kept, broker).run()) == Reposted(left=1)
    assert rows(kept, "task", "retries") == [(DETACHED, 1)]
    assert rows(kept, "task", table=tasks) == ["me"]
    broker.is_connected = True
    assert run(monitor(kept, broker, me="another").run()) == Reposted(posted=1)


def test_what_one_left_whose_clock_was_ahead_is_posted_anew_as_soon(
    kept: DomainDatabase, broker: PaperBroker, clock: VirtualClock
) -> None:
    # Given one that was killed, and one that was stopped, when their clocks were five hours ahead.
    ahead = clock.now() + 5 * 3600
    take_all(kept, "killed", posted(1), now=ahead)
    take_all(kept, "stopped", posted(2), now=ahead)
    kept.do(retire, "stopped", ahead)
    watch = monitor(kept, broker)
    assert run(watch.run()) == Reposted(posted=1)
    clock.advance(31)
    assert run(watch.run()) == Reposted(posted=1)
    assert rows(kept, "task") == []


def test_an_instance_that_has_spoken_meanwhile_keeps_everything(kept: DomainDatabase) -> None:
    take_all(kept, "other", posted(1))
    kept.do(beat, "other", NOW + 60)
    found = kept.do(recover, "other", "me", word=NOW, claim="c", now=NOW + 61, limit=None)
    assert found == 0
    assert rows(kept, "task") == ["other"]
    assert rows(kept, "task", table=tasks) == ["other"]
