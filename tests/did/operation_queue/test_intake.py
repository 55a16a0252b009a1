from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from penstock.did.operation_queue import intake as module
from penstock.did.operation_queue.intake import DOUBT_S, Intake
from penstock.did.operation_queue.pending import Pending, entry_of
from penstock.did.parameters import DidParameters
from penstock.did.queues import DomainQueues
from penstock.errors import PublishRefused, StoreError
from penstock.messaging import Rejecting
from penstock.messaging.subscriptions import Delivered, ErrorClass
from tests.did.operation_queue.helpers import operation, posted, read, run
from tests.did.operation_queue.mortal import Forgetful
from tests.did.operation_queue.support import NOW, rows, take_all

if TYPE_CHECKING:
    from penstock.clock import VirtualClock
    from penstock.did.database import DomainDatabase
    from penstock.did.operation_queue.operation import Posted
    from tests.did.operation_queue.helpers import PaperBroker


@pytest.fixture
def pending() -> Pending:
    return Pending()


@pytest.fixture
def intake(kept_in_memory: DomainDatabase, broker: PaperBroker, pending: Pending) -> Intake:
    return Intake(kept_in_memory, broker, pending, me="me", parameters=DidParameters(), queues=DomainQueues())


def come(*batch: Posted) -> list[Delivered]:
    nothing: Any = None
    return [Delivered(each, nothing) for each in batch]


def test_operations_are_posted_to_the_domains_exchange(intake: Intake, broker: PaperBroker) -> None:
    assert run(intake.add(operation(1))) == posted(1).id
    broker.errors[posted(3).id] = PublishRefused("full")
    told = run(intake.add_many(operation(number) for number in (2, 3, 4)))
    assert [error is None for error in told] == [True, False, True]
    assert [read(message).id for message in broker.take()] == [posted(number).id for number in (1, 2, 4)]
    with pytest.raises(PublishRefused):
        run(intake.add(operation(3)))


def test_what_comes_is_kept_and_waits(
    intake: Intake, pending: Pending, kept_in_memory: DomainDatabase
) -> None:
    run(intake.take(come(posted(2), posted(1))))
    assert [(entry.suffix, entry.sequence) for entry in pending.lanes()[0]] == [("did-2", 1), ("did-1", 2)]
    assert rows(kept_in_memory, "task", "expires_at") == [("me", NOW + 120)] * 2


def test_of_the_same_operation_in_one_batch_the_latest_counts(
    intake: Intake, kept_in_memory: DomainDatabase
) -> None:
    run(intake.take(come(posted(1, retries=1), posted(1, retries=3), posted(1, retries=2))))
    assert rows(kept_in_memory, "retries") == [3]


def test_what_is_in_other_hands_does_not_wait_here(
    intake: Intake, pending: Pending, kept_in_memory: DomainDatabase
) -> None:
    take_all(kept_in_memory, "other", posted(1))
    run(intake.take(come(posted(1), posted(2))))
    assert [entry.suffix for entry in pending.lanes()[0]] == ["did-2"]


def test_what_was_kept_without_a_word_waits_here_though_its_messages_go_to_another(
    kept: DomainDatabase, broker: PaperBroker, clock: VirtualClock
) -> None:
    # Given an instance that keeps operations, and never hears that it did.
    database, here, there = Forgetful(kept.engine), Pending(), Pending()
    parameters, queues = DidParameters(), DomainQueues()
    mine = Intake(database, broker, here, me="me", parameters=parameters, queues=queues)
    other = Intake(kept, broker, there, me="other", parameters=parameters, queues=queues)

    async def story() -> None:
        with pytest.raises(StoreError):
            await mine.take(come(posted(1), posted(2)))
        # When another is given the messages, and leaves the operations where they are.
        await other.take(come(posted(1), posted(2), posted(3)))
        assert [entry.suffix for entry in there.lanes()[0]] == ["did-3"]
        with pytest.raises(StoreError):
            await mine.settle_doubts()
        assert not here
        # Then they wait here, as soon as the database answers, and as long as they have waited.
        database.is_heard = True
        clock.advance(5)
        await mine.settle_doubts()
        assert [(each.suffix, each.added_at) for each in here.lanes()[0]] == [("did-1", NOW), ("did-2", NOW)]
        # And in the end nobody asks for them any more.
        clock.advance(DOUBT_S)
        await mine.settle_doubts()
        database.is_heard = False
        await mine.settle_doubts()
        database.close()

    run(story())


def test_so_it_does_though_the_database_was_silent_for_long_and_keeps_it_later_still(
    intake: Intake,
    pending: Pending,
    kept_in_memory: DomainDatabase,
    clock: VirtualClock,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def lost(*_: Any, **__: Any) -> None:
        clock.advance(2 * DOUBT_S)
        raise StoreError("the connection is gone")

    async def story() -> None:
        with monkeypatch.context() as patch:
            patch.setattr(kept_in_memory, "run", lost)
            with pytest.raises(StoreError):
                await intake.take(come(posted(1)))
        await intake.settle_doubts()
        assert not pending
        # What was committed is seen when a standby has it, too.
        take_all(kept_in_memory, "me", posted(1))
        await intake.settle_doubts()

    run(story())
    assert posted(1).id in pending


def test_what_was_not_kept_is_not_waited_with(
    intake: Intake, pending: Pending, kept_in_memory: DomainDatabase
) -> None:
    async def story() -> None:
        kept_in_memory.do(lambda c: c.exec_driver_sql("ALTER TABLE penstock_operation_tasks RENAME TO away"))
        with pytest.raises(StoreError):
            await intake.take(come(posted(1)))
        kept_in_memory.do(lambda c: c.exec_driver_sql("ALTER TABLE away RENAME TO penstock_operation_tasks"))
        take_all(kept_in_memory, "other", posted(1))
        await intake.settle_doubts()

    run(story())
    assert not pending


def test_no_more_is_taken_than_memory_has_room_for_until_some_is_gone(
    intake: Intake, pending: Pending, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MOST", 4)
    monkeypatch.setattr(module, "ROOM_AT", 2)
    entries = [entry_of(posted(number), 1.0) for number in range(4)]
    is_full = intake.consumer.is_full
    assert is_full is not None
    told = []
    for each in entries:
        pending.add([each])
        told.append(is_full())
    for each in entries:
        pending.remove([each.id])
        told.append(is_full())
    assert told == [False, False, False, True, True, True, False, False]


def test_the_consumer_is_as_the_parameters_say(intake: Intake) -> None:
    consumer = intake.consumer
    assert (consumer.queue, consumer.pool, type(consumer.retry)) == ("orb.operation", 5, Rejecting)
    assert consumer.errors.of(StoreError("away")) is ErrorClass.TRANSIENT
