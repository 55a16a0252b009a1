"""The queue on the real broker: in this process with a clock that the test moves, and on RabbitMQ."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from penstock.did.database import DomainDatabase
from penstock.did.expiry import ExpiryService
from penstock.did.operation_queue import OPERATION_QUEUE, OperationQueue, intake
from penstock.did.operation_queue.expiring import expire_acked, expire_operations
from penstock.did.operation_queue.tables import DETACHED, cuts, tasks
from penstock.did.parameters import DidParameters
from penstock.did.queues import DomainQueues
from penstock.did.tasks import TASKS, TaskManager
from penstock.errors import BrokerRefused, CutLost, DidError, QueueNotStarted
from penstock.messaging import Destination, Message, open_amqp_broker
from penstock.messaging.dead_letters.reading import read as read_letter
from penstock.messaging.redelivery import RedeliveryHandler
from tests.contracts.brokers import until, until_depth
from tests.did.operation_queue.helpers import PaperBroker, operation, posted, run
from tests.did.operation_queue.mortal import Forgetful
from tests.did.operation_queue.support import rows

if TYPE_CHECKING:
    from pathlib import Path

    from penstock.did.operation_queue import Cut
    from penstock.messaging.amqp import AmqpBroker
    from penstock.testing import ControlledBroker


class Domain:
    """Instances of a domain on one broker, with a clock that the test moves."""

    def __init__(self, broker: ControlledBroker, database: DomainDatabase, **parameters: Any) -> None:
        self.broker = broker
        self.database = database
        self.parameters = DidParameters(**parameters)
        self.queues = DomainQueues()

    async def start(self, me: str) -> OperationQueue:
        port = await self.broker.port()
        await port.initialize(self.queues.topology())
        queue = OperationQueue(self.database, self.parameters, me=me, queues=self.queues)
        await queue.start(port)
        self.broker.watch(queue)
        return queue

    async def dead(self, port: AmqpBroker) -> Any:
        received = await port.fetch(self.queues.dead_letters)
        assert received is not None
        received.ack()
        return read_letter(received.message, received.deaths, 0.0)


@pytest.fixture
def domain(penstock_broker: ControlledBroker, kept_in_memory: DomainDatabase) -> Domain:
    return Domain(penstock_broker, kept_in_memory)


async def finish(cut: Cut | None) -> list[str]:
    """Have a cut's batch written, anchored and acked."""
    assert cut is not None
    await cut.record_files({})
    await cut.record_anchor("hl:anchor")
    await cut.ack()
    return [each.suffix for each in cut.operations]


async def test_operations_go_through_the_broker_into_a_cut(
    penstock_broker: ControlledBroker, domain: Domain
) -> None:
    queue = await domain.start("me")
    assert await queue.add(operation(1)) == posted(1).id
    assert await queue.add_many([operation(2), operation(3)]) == [None, None]
    await penstock_broker.advance(1)
    assert len(queue) == 3
    assert [each.operation for each in await queue.peek(2)] == [operation(1), operation(2)]
    assert await queue.cut() is None
    assert queue.next_due() is not None
    await penstock_broker.advance(60)
    assert await finish(await queue.cut()) == ["did-1", "did-2", "did-3"]
    assert len(queue) == 0
    assert repr(queue) == "<OperationQueue me, 0 pending, running>"
    await queue.stop()
    assert repr(queue) == "<OperationQueue me, 0 pending, stopped>"


async def test_operations_of_a_did_that_is_held_are_left_out_of_cuts(
    penstock_broker: ControlledBroker, domain: Domain
) -> None:
    queue = await domain.start("me")
    await queue.add_many([operation(1), operation(2)])
    await penstock_broker.advance(1)
    queue.hold(["did-1"])
    assert await finish(await queue.remove(10)) == ["did-2"]
    assert (len(queue), queue.next_due()) == (1, None)
    queue.release(["did-1"])
    assert await finish(await queue.remove(10)) == ["did-1"]
    await queue.stop()


async def test_operations_that_were_kept_without_a_word_are_found_when_cuts_are_looked_for(
    penstock_broker: ControlledBroker, domain: Domain
) -> None:
    database = domain.database = Forgetful(domain.database.engine)
    database.is_heard = True
    queue = await domain.start("me")
    database.is_heard = False
    await queue.add(operation(1))
    await penstock_broker.advance(1)
    # Its message has gone to another instance meanwhile, which leaves it here.
    assert (len(queue), rows(database, "task")) == (0, ["me"])
    database.is_heard = True
    assert await queue.reopen() == []
    assert await finish(await queue.remove(10)) == ["did-1"]
    await queue.stop()
    database.close()


async def test_an_operation_that_is_added_twice_is_anchored_once(
    penstock_broker: ControlledBroker, domain: Domain
) -> None:
    queue = await domain.start("me")
    for _ in range(2):
        await queue.add_many([operation(1), operation(1)])
        await penstock_broker.advance(1)
    assert await finish(await queue.remove(10)) == ["did-1"]
    await queue.add(operation(1))
    await penstock_broker.advance(1)
    assert (len(queue), await queue.remove(10)) == (0, None)
    await queue.stop()


async def test_a_nacked_cut_comes_back_after_its_delay_with_the_bad_ones_apart(
    penstock_broker: ControlledBroker, domain: Domain
) -> None:
    queue = await domain.start("me")
    await queue.add_many([operation(1), operation(2), operation(3)])
    await penstock_broker.advance(1)
    cut = await queue.cut(force=True)
    assert cut is not None
    await cut.nack("no witness", blamed=["did-2"])
    await penstock_broker.advance(4.9)
    assert len(queue) == 0
    await penstock_broker.advance(1)
    assert len(queue) == 3
    cuts = [await finish(await queue.cut(force=True)) for _ in range(2)]
    assert sorted(cuts) == [["did-1", "did-3"], ["did-2"]]
    await queue.stop()


async def test_an_operation_that_always_fails_becomes_a_dead_letter(
    penstock_broker: ControlledBroker, kept_in_memory: DomainDatabase
) -> None:
    domain = Domain(penstock_broker, kept_in_memory, op_queue_max_reposts=2)
    queue = await domain.start("me")
    await queue.add(operation(1))
    for _ in range(3):
        await penstock_broker.advance(20)
        cut = await queue.cut(force=True)
        assert cut is not None
        await cut.nack("no witness")
    letter = await domain.dead(await penstock_broker.port())
    assert (letter.message_id, letter.reason, letter.error) == (
        posted(1).id,
        "posted anew 2 times",
        "no witness",
    )
    assert rows(kept_in_memory, "id") == []
    await queue.stop()


async def test_a_message_that_posts_no_operation_is_a_dead_letter_and_harms_no_other(
    penstock_broker: ControlledBroker, domain: Domain
) -> None:
    queue = await domain.start("me")
    port = await penstock_broker.port()
    await port.publish(Message(body=b"nonsense", id="n1"), Destination("orb", "orb.operation"))
    await queue.add(operation(1))
    await penstock_broker.advance(1)
    assert len(queue) == 1
    letter = await domain.dead(port)
    assert (letter.message_id, letter.queue) == ("n1", "orb.operation")
    assert letter.error.startswith("it posts no DID operation")
    await queue.stop()


async def test_while_the_database_is_away_messages_are_redelivered(
    penstock_broker: ControlledBroker, tmp_path: Path
) -> None:
    database = DomainDatabase(f"sqlite:///{tmp_path}/domain.db")
    database.create(OPERATION_QUEUE)
    domain = Domain(penstock_broker, database)
    queue = await domain.start("me")
    redelivery = RedeliveryHandler()
    await redelivery.start(await penstock_broker.port())
    penstock_broker.watch(redelivery)
    database.do(lambda c: c.exec_driver_sql("ALTER TABLE penstock_operations RENAME TO away"))
    await queue.add_many([operation(1), operation(2)])
    await penstock_broker.advance(1)
    assert len(queue) == 0
    database.do(lambda c: c.exec_driver_sql("ALTER TABLE away RENAME TO penstock_operations"))
    await penstock_broker.advance(60)
    assert len(queue) == 2
    await redelivery.stop()
    await queue.stop()
    database.close()


async def test_while_nothing_is_cut_no_more_are_taken_than_memory_has_room_for(
    penstock_broker: ControlledBroker, domain: Domain, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(intake, "MOST", 5)
    monkeypatch.setattr(intake, "ROOM_AT", 3)
    queue = await domain.start("me")
    for number in range(20):
        assert await queue.add(operation(number))
        await penstock_broker.advance(2)
    assert (len(queue), queue.subscription.state) == (5, "paused")
    port = await penstock_broker.port()
    await until_depth(port, domain.queues.operation, 15)
    # What is cut makes room; all of them come by and by, each once.
    done: list[str] = []
    while len(done) < 20:
        done += await finish(await queue.remove(5))
        await penstock_broker.advance(2)
    assert sorted(done) == sorted(f"did-{number}" for number in range(20))
    assert set(rows(domain.database, "retries")) <= {0}


async def test_another_instance_goes_on_with_what_a_dead_one_had(
    penstock_broker: ControlledBroker, domain: Domain
) -> None:
    first, second = await domain.start("first"), await domain.start("second")
    await first.add_many([operation(number) for number in range(6)])
    await penstock_broker.advance(1)
    assert len(first) + len(second) == 6
    cut = await first.cut(force=True) or await second.cut(force=True)
    assert cut is not None
    dead, alive = (first, second) if cut._record.task == "first" else (second, first)
    await dead._running.heart.stop()
    await penstock_broker.advance(41)
    await alive.look_after_others()
    await penstock_broker.advance(10)
    done: list[str] = []
    for each in await alive.reopen():
        done += await finish(each)
    assert len(done) == len(cut.operations)
    while more := await alive.cut(force=True):
        done += await finish(more)
    assert sorted(done) == [f"did-{number}" for number in range(6)]
    await alive.stop()
    await dead.stop()


async def test_a_cut_is_the_same_when_it_is_opened_again_by_its_number(
    penstock_broker: ControlledBroker, domain: Domain
) -> None:
    first = await domain.start("first")
    await first.add_many([operation(number) for number in range(5)])
    await penstock_broker.advance(1)
    cut = await first.cut(force=True)
    assert cut is not None
    await cut.record_files({"core": "hl:core"}, refused={posted(3).id: "no good"})
    second = await domain.start("second")
    again = await second.reopen_cut(cut.id)
    assert (again.operations, again.state, again.files, again.left_out) == (
        cut.operations,
        "files",
        {"core": "hl:core"},
        cut.left_out,
    )
    with pytest.raises(CutLost):
        await cut.record_anchor("hl:anchor")
    await first.stop()
    await second.stop()


async def test_a_heart_that_beats_keeps_the_others_away(
    penstock_broker: ControlledBroker, domain: Domain
) -> None:
    first, second = await domain.start("first"), await domain.start("second")
    await first.add_many([operation(number) for number in range(6)])
    await penstock_broker.advance("10 min")
    for each in (first, second):
        await each.look_after_others()
    assert len(first) + len(second) == 6
    assert DETACHED not in rows(domain.database, "task")
    await first.stop()
    await second.stop()


async def test_a_queue_runs_once_at_a_time_and_begins_anew_with_nothing(
    penstock_broker: ControlledBroker, domain: Domain
) -> None:
    queue = await domain.start("me")
    await queue.add(operation(1))
    await penstock_broker.advance(1)
    port = await penstock_broker.port()
    with pytest.raises(DidError, match="running already"):
        await queue.start(port)
    await queue.stop()
    assert len(queue) == 0
    await queue.start(port)
    await queue.look_after_others()
    await penstock_broker.advance(1)
    assert await finish(await queue.remove(5)) == ["did-1"]
    await queue.stop()


async def test_who_stops_leaves_its_operations_to_the_next_start(
    penstock_broker: ControlledBroker, domain: Domain
) -> None:
    first = await domain.start("first")
    await first.add(operation(1))
    await penstock_broker.advance(1)
    await first.stop()
    assert rows(domain.database, "task", table=tasks) == []
    second = await domain.start("second")
    await second.look_after_others()
    await penstock_broker.advance(1)
    assert await finish(await second.remove(5)) == ["did-1"]
    await second.stop()


def test_a_queue_that_is_not_running_takes_nothing(kept_in_memory: DomainDatabase) -> None:
    queue = OperationQueue(kept_in_memory, me="me")
    for verb in (queue.add(operation()), queue.cut(), queue.peek(1), queue.reopen()):
        with pytest.raises(QueueNotStarted, match="not running"):
            run(verb)
    run(queue.stop())


async def test_a_start_that_fails_leaves_nothing_running(
    penstock_broker: ControlledBroker, kept_in_memory: DomainDatabase
) -> None:
    queue = OperationQueue(kept_in_memory, me="me")
    with pytest.raises(BrokerRefused):
        await queue.start(await penstock_broker.port())
    assert rows(kept_in_memory, "task", table=tasks) == []
    with pytest.raises(QueueNotStarted):
        queue.next_due()


def test_a_lost_database_does_not_keep_it_from_stopping(kept_in_memory: DomainDatabase) -> None:
    async def story() -> None:
        queue = OperationQueue(kept_in_memory, me="me")
        await queue.start(PaperBroker())
        kept_in_memory.do(lambda c: c.exec_driver_sql("DROP TABLE penstock_operation_tasks"))
        await queue.stop()

    run(story())


async def test_what_is_to_be_done_from_time_to_time_is_done(
    penstock_broker: ControlledBroker, domain: Domain
) -> None:
    domain.database.create(TASKS)
    clock = penstock_broker.clock
    manager = TaskManager(domain.database, clock=clock, check_interval=10.0, me="second")
    expiry = ExpiryService(domain.database, clock=clock)
    queue = OperationQueue(domain.database, me=manager.instance)
    manager.register(queue.task)
    expiry.register("operations", expire_operations)
    expiry.register("acked operations", expire_acked)
    first = await domain.start("first")
    await first.add(operation(1))
    await penstock_broker.advance(1)
    await first._running.heart.stop()
    await first._running.subscription.stop()
    await queue.start(await penstock_broker.port())
    penstock_broker.watch(queue)
    penstock_broker.watch(manager)
    await manager.start()
    async with asyncio.timeout(60):
        while not len(queue):
            # What it looks up in the database, a thread does, by no clock.
            await asyncio.sleep(0.01)
            await penstock_broker.advance(5)
    assert await finish(await queue.cut(force=True)) == ["did-1"]
    await manager.stop()
    await penstock_broker.advance("25 h", step="1 h")
    assert await expiry.run() == {"operations": 0, "acked operations": 1}
    await queue.stop()
    await first.stop()


def test_a_round_trip_on_rabbitmq(rabbitmq_url: str, postgresql_url: str, name: str) -> None:
    async def story() -> None:
        database = DomainDatabase(postgresql_url)
        database.create(OPERATION_QUEUE)
        queues = DomainQueues(name)
        broker = await open_amqp_broker(rabbitmq_url)
        await broker.initialize(queues.topology())
        parameters = DidParameters(op_queue_repost_initial_delay=0.5)
        queue = OperationQueue(database, parameters, me="me", queues=queues)
        await queue.start(broker)
        assert not any(await queue.add_many([operation(number) for number in range(50)]))
        await until(lambda: len(queue) == 50)
        cut = await queue.remove(20)
        assert cut is not None
        await cut.nack("no witness")
        await until(lambda: len(queue) == 50)
        assert len(await finish(await queue.cut(force=True))) == 50
        assert rows(database, "state", table=cuts) == ["acked"]
        await queue.stop()
        await until_depth(broker, queues.operation, 0)
        topology = queues.topology()
        await broker.client.withdraw(*topology.queues, *topology.exchanges)
        await broker.close()
        database.close()

    run(story())
