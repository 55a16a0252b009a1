"""Any history of adds, cuts, acks, nacks, crashes and recoveries: nothing is lost, nothing anchored twice.

Instances share a database and a broker on paper. A crash may come before or after every transaction and every
publish. Nobody's heart beats unless the history says so: an instance that is taken for dead and works on is
part of it.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from penstock.clock import VirtualClock
from penstock.did.database import DomainDatabase
from penstock.did.operation_queue import OPERATION_QUEUE, CutRules
from penstock.did.operation_queue.cut_states import ACKED, ANCHORED, CUT, FILES
from penstock.did.operation_queue.expiring import expire_acked, expire_operations
from penstock.did.operation_queue.heartbeat import beat
from penstock.did.operation_queue.tables import cuts, operations
from penstock.did.parameters import DidParameters
from penstock.errors import ClientError, CutLost
from penstock.messaging.subscriptions import Delivered
from penstock.testing import Crash
from tests.did.operation_queue.helpers import OPERATIONS, PaperBroker, operation, read
from tests.did.operation_queue.mortal import Instance

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from penstock.did.operation_queue import Cut
    from penstock.messaging import Message
    from tests.did.operation_queue.mortal import End

#: What anchoring writes, in the transaction that says so.
ANCHORS = sa.Table(
    "anchors", sa.MetaData(), sa.Column("cut", sa.Integer), sa.Column("operation", sa.String, nullable=False)
)

PARAMETERS = DidParameters(
    op_queue_max_reposts=3, op_queue_max_ops_to_repost=2, op_queue_repost_initial_delay=0
)
RULES = CutRules(max_operation_count=4, timeout=60.0)

#: Within which everything comes to its end.
ROUNDS = 100

NTH = st.integers(0, 2)
ENDS = st.one_of(st.none(), st.none(), st.tuples(st.integers(1, 4), st.booleans()))

somebody_lives = precondition(lambda self: self.alive)


class OperationQueueModel(RuleBasedStateMachine):
    @initialize()
    def begin(self) -> None:
        self.loop = asyncio.new_event_loop()
        self.clock = VirtualClock(1_000_000.0)
        self.database = DomainDatabase("sqlite://")
        self.database.create(OPERATION_QUEUE)
        self.database.do(ANCHORS.create)
        self.broker = PaperBroker(self.clock)
        self.count = 0
        self.alive: list[Instance] = []
        self.accepted: set[str] = set()
        for _ in range(2):
            self.start()
        self.operations_are_added([1, 2, 8, 16, 3])

    # Instances

    @precondition(lambda self: len(self.alive) < 3)
    @rule()
    def an_instance_starts(self) -> None:
        self.start()

    @somebody_lives
    @rule(nth=NTH)
    def a_heart_beats(self, nth: int) -> None:
        self.database.do(beat, self.nth(nth).queue.me, self.clock.now())

    @somebody_lives
    @rule(nth=NTH, is_killed=st.booleans())
    def an_instance_ends(self, nth: int, is_killed: bool) -> None:  # noqa: FBT001  the history's word
        instance = self.nth(nth)
        if is_killed:
            self.kill(instance)
        else:
            self.alive.remove(instance)
            self.tell(instance.queue.stop())

    # Operations

    @somebody_lives
    @rule(numbers=st.lists(st.integers(1, 20), min_size=1, max_size=5))
    def operations_are_added(self, numbers: list[int]) -> None:
        for number in numbers:
            made = operation(number, unique_suffix=f"did-{number % 7}", protocol_version=number // 16)
            with suppress(ClientError):
                self.accepted.add(self.tell(self.alive[0].queue.add(made)))

    @somebody_lives
    @rule(
        nth=NTH,
        steps=st.integers(1, 3),
        end=st.one_of(st.none(), st.tuples(st.integers(1, 9), st.booleans())),
    )
    def an_instance_does_its_work(self, nth: int, steps: int, end: End | None) -> None:
        """The usual round, of which something may be left undone."""
        instance = self.nth(nth)
        self.take(instance)
        self.live(instance, end, lambda: work(instance, steps))

    @somebody_lives
    @rule(nth=NTH, count=st.integers(1, 6), end=ENDS)
    def messages_are_taken(self, nth: int, count: int, end: End | None) -> None:
        self.take(self.nth(nth), count, end)

    @somebody_lives
    @rule(nth=NTH, force=st.booleans(), end=ENDS)
    def a_batch_is_cut(self, nth: int, force: bool, end: End | None) -> None:  # noqa: FBT001  the history's word
        instance = self.nth(nth)
        cut = self.live(instance, end, lambda: instance.queue.cut(force=force))
        if cut is not None:
            instance.cuts.append(cut)

    @somebody_lives
    @rule(nth=NTH, end=ENDS)
    def cuts_are_reopened(self, nth: int, end: End | None) -> None:
        instance = self.nth(nth)
        instance.cuts += self.live(instance, end, instance.queue.reopen) or []

    @precondition(lambda self: any(instance.cuts for instance in self.alive))
    @rule(end=ENDS, data=st.data())
    def a_cut_goes_on(self, end: End | None, data: st.DataObject) -> None:
        instance = data.draw(st.sampled_from([each for each in self.alive if each.cuts]), "instance")
        cut = data.draw(st.sampled_from(instance.cuts), "cut")
        ids = [each.id for each in cut.operations]
        deferred = refused = set[str]()
        if cut.state == CUT:
            deferred = data.draw(st.sets(st.sampled_from(ids), max_size=2), "deferred")
            refused = data.draw(st.sets(st.sampled_from(ids), max_size=1), "refused") - deferred
        self.live(instance, end, lambda: go_on(instance, cut, deferred, refused))

    @precondition(lambda self: any(instance.cuts for instance in self.alive))
    @rule(end=ENDS, data=st.data())
    def a_cut_fails(self, end: End | None, data: st.DataObject) -> None:
        instance = data.draw(st.sampled_from([each for each in self.alive if each.cuts]), "instance")
        cut = data.draw(st.sampled_from(instance.cuts), "cut")
        suffixes = [each.suffix for each in cut.operations]
        blamed = data.draw(st.sets(st.sampled_from(suffixes), max_size=2), "blamed")
        # One that is anchored is not nacked; it is told so, and found again.
        self.live(instance, end, lambda: cut.nack("it failed", blamed=blamed))
        cut.put_down()
        instance.cuts.remove(cut)

    # What others do

    @somebody_lives
    @rule(nth=NTH, end=ENDS)
    def the_monitor_runs(self, nth: int, end: End | None) -> None:
        instance = self.nth(nth)
        self.live(instance, end, instance.queue.look_after_others)

    @rule(seconds=st.sampled_from([1.0, 20.0, 40.0, 70.0]))
    def time_passes(self, seconds: float) -> None:
        # No alarm rings: whose heart beats is the history's to say.
        self.clock._now += seconds

    @rule(mood=st.sampled_from([(True, 0), (True, 0), (True, 3), (True, 1), (False, 0)]))
    def the_broker_comes_and_goes(self, mood: tuple[bool, int]) -> None:
        self.broker.is_connected, self.broker.loses_every = mood

    @somebody_lives
    @rule(nth=NTH)
    def one_is_quick_to_take_what_others_post(self, nth: int) -> None:
        quick = self.nth(nth)
        for other in self.alive:
            other.broker.meanwhile = lambda: self.take_meanwhile(quick)

    @rule()
    def expired_rows_are_deleted(self) -> None:
        self.database.do(expire_operations, self.clock.now(), 2)
        self.database.do(expire_acked, self.clock.now(), 2)

    # What holds

    @precondition(lambda self: hasattr(self, "database"))
    @invariant()
    def nothing_is_anchored_twice(self) -> None:
        anchored = self.anchored()
        assert len(anchored) == len(set(anchored))

    def teardown(self) -> None:
        """Let everything end well, and look what became of it."""
        if not hasattr(self, "database"):
            return
        self.broker.is_connected, self.broker.loses_every = True, 0
        for instance in [*self.alive]:
            self.kill(instance)
        last = self.start()
        for _ in range(ROUNDS):
            self.clock._now += 61.0
            self.tell(last.queue.look_after_others())
            self.take(last)
            for cut in self.tell(last.queue.reopen()):
                self.finish(last, cut)
            while cut := self.tell(last.queue.cut(force=True)):
                self.finish(last, cut)
            if not self.is_something_left():
                break
        assert not self.is_something_left()
        dead = {read(message).id for message in self.broker.dead}
        assert self.accepted <= {*self.anchored(), *dead}
        self.nothing_is_anchored_twice()
        self.kill(last)
        self.database.close()
        self.loop.close()

    # How

    def tell(self, story: Awaitable[Any]) -> Any:
        return self.loop.run_until_complete(story)

    def nth(self, number: int) -> Instance:
        return self.alive[number % len(self.alive)]

    def start(self) -> Instance:
        self.count += 1
        instance = Instance(self.count, self.database.engine, self.broker, PARAMETERS, RULES)
        self.tell(instance.queue.start(instance.broker))
        self.alive.append(instance)
        return instance

    def live(self, instance: Instance, end: End | None, story: Callable[[], Awaitable[Any]]) -> Any:
        """Let an instance do something, which may be its last."""
        instance.fuse.set(end)
        try:
            return self.tell(story())
        except CutLost:
            return None
        except Crash:
            self.kill(instance)
            return None
        finally:
            instance.fuse.set(None)

    def kill(self, instance: Instance) -> None:
        self.alive.remove(instance)
        running = instance.queue._running
        self.tell(running.heart.stop())
        self.tell(running.subscription.stop(0))

    def take(self, instance: Instance, count: int = 1000, end: End | None = None) -> None:
        messages = self.broker.take(count)
        if messages:
            self.live(instance, end, lambda: instance.queue._running.intake.take(delivered(messages)))
            if instance not in self.alive:
                self.broker.give_back(messages)

    async def take_meanwhile(self, instance: Instance) -> None:
        messages = self.broker.take()
        try:
            if messages and instance in self.alive:
                await instance.queue._running.intake.take(delivered(messages))
                messages = []
        finally:
            self.broker.give_back(messages)

    def finish(self, instance: Instance, cut: Cut) -> None:
        instance.cuts.append(cut)
        while cut in instance.cuts:
            self.tell(go_on(instance, cut))

    def anchored(self) -> list[str]:
        return self.database.do(lambda c: list(c.scalars(sa.select(ANCHORS.c.operation))))

    def is_something_left(self) -> bool:
        """Whether an operation is still on its way."""
        done = sa.select(cuts.c.id).where(cuts.c.state == ACKED)
        kept = sa.select(sa.func.count()).where(sa.func.coalesce(operations.c.cut, 0).not_in(done))
        return bool(self.database.do(lambda c: c.scalar(kept)) or self.broker.queues[OPERATIONS])


async def work(instance: Instance, steps: int) -> None:
    """Cut what there is, and go so many steps with all that are in hand."""
    instance.cuts += await instance.queue.reopen()
    if cut := await instance.queue.cut(force=True):
        instance.cuts.append(cut)
    for cut in [*instance.cuts]:
        for _ in range(steps):
            if cut in instance.cuts:
                await go_on(instance, cut)


async def go_on(instance: Instance, cut: Cut, deferred: Any = (), refused: Any = ()) -> None:
    """Do what is next for a cut."""

    def anchor(connection: sa.Connection) -> None:
        out = {*cut.left_out.deferred, *cut.left_out.refused}
        for each in cut.operations:
            if each.id not in out:
                connection.execute(sa.insert(ANCHORS).values(cut=cut.id, operation=each.id))

    try:
        if cut.state == CUT:
            await cut.record_files({}, deferred=deferred, refused=dict.fromkeys(refused, "no good"))
        elif cut.state == FILES:
            await cut.record_anchor("anchor", also=anchor)
        elif cut.state == ANCHORED:
            await cut.ack()
            instance.cuts.remove(cut)
    except CutLost:
        cut.put_down()
        instance.cuts.remove(cut)


def delivered(messages: list[Message]) -> list[Delivered]:
    nothing: Any = None
    return [Delivered(read(message), nothing) for message in messages]


TestOperationQueue = OperationQueueModel.TestCase
TestOperationQueue.settings = settings(max_examples=20, stateful_step_count=40, deadline=None)
