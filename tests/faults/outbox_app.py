"""A small application with an outbox and an inbox, to be killed with -9 between any two of its steps.

    python -m tests.faults.outbox_app NAME ROLES DATABASE BROKER CRASH_AT COUNT

The name is its exchange's, and its queues' begin with it. Roles, with commas between: `produce` makes
changes, each with its message; `relay` publishes; `consume` handles, each message in a transaction with its
inbox row, its change and an outgoing message. At the named step it kills itself, as the machine's power cut
would; an empty name lets it live. It says "ready" first.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from penstock.client import Binding, Exchange, Queue
from penstock.messaging import Destination, Message, Topology
from penstock.messaging.opening import open_broker
from penstock.outbox import Inbox, Outbox, Relay, RelaySettings, idempotent

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from penstock.errors import PublishError
    from penstock.messaging import Broker, Received

METADATA = sa.MetaData()
OUTBOX = Outbox(metadata=METADATA)
INBOX = Inbox(metadata=METADATA)
#: What the producer writes, and what the consumer makes of it: how often each was applied.
CHANGES = sa.Table("changes", METADATA, sa.Column("n", sa.Integer, primary_key=True))
APPLIED = sa.Table(
    "applied",
    METADATA,
    sa.Column("n", sa.Integer, primary_key=True),
    sa.Column("times", sa.Integer, nullable=False),
)


class Names:
    """What an application of that name has at its broker."""

    def __init__(self, name: str) -> None:
        self.exchange = name
        self.changes = f"{name}.changes"
        self.answers = f"{name}.answers"

    @property
    def topology(self) -> Topology:
        return Topology(
            exchanges=(Exchange(self.exchange, "topic"),),
            queues=(Queue(self.changes), Queue(self.answers)),
            bindings=(
                Binding(self.exchange, self.changes, "changed"),
                Binding(self.exchange, self.answers, "answered"),
            ),
        )


class CrashPoint:
    """Kills the process at a step, the third time that it comes there: some work is done by then."""

    def __init__(self, at: str) -> None:
        self._at = at
        self._passed = 0

    def __call__(self, step: str) -> None:
        if step == self._at:
            self._passed += 1
            if self._passed == 3:
                os.kill(os.getpid(), signal.SIGKILL)


@dataclass(frozen=True)
class Work:
    """What every role needs."""

    names: Names
    engine: sa.Engine
    broker: Broker
    crash: CrashPoint
    count: int


def produce(work: Work) -> None:
    """Go on where the last life ended: what is committed is known, and nothing else."""
    engine, crash = work.engine, work.crash
    with engine.connect() as connection:
        first = (connection.scalar(sa.select(sa.func.max(CHANGES.c.n))) or 0) + 1
    for n in range(first, work.count + 1):
        with engine.connect() as connection:
            crash("before the change")
            connection.execute(sa.insert(CHANGES), {"n": n})
            crash("between the change and its message")
            message = Message(body=b"%d" % n, id=f"change-{n}", type="changed")
            OUTBOX.add(connection, message, to=Destination(work.names.exchange, "changed"))
            crash("between the message and the commit")
            connection.commit()
            crash("after the commit")


async def make_changes(work: Work) -> None:
    """The same, beside the other roles."""
    await asyncio.to_thread(produce, work)


class CrashingBroker:
    """A broker whose user may die right before and right after a publish."""

    def __init__(self, broker: Broker, crash: Callable[[str], None]) -> None:
        self._broker = broker
        self._crash = crash
        self.clock = broker.clock

    async def publish_many(
        self,
        messages: Sequence[tuple[Message, Destination]],
        **how: Any,
    ) -> list[PublishError | None]:
        self._crash("before the publish")
        answers = await self._broker.publish_many(messages, **how)
        self._crash("between the publish and the mark")
        return answers


async def relay(work: Work) -> None:
    """Publish until nothing waits."""
    settings = RelaySettings(batch=3, chain=2, poll_interval=0.05, backoff_initial=0.05, backoff_max=0.2)
    crashing: Any = CrashingBroker(work.broker, work.crash)
    async with Relay(OUTBOX, work.engine, crashing, settings=settings):
        await asyncio.Event().wait()


async def consume(work: Work) -> None:
    """Handle what comes, one at a time, and acknowledge it after its commit."""
    arrived: asyncio.Queue[Received] = asyncio.Queue()
    crash = work.crash

    @idempotent(work.engine, inbox=INBOX)
    def handle(event: int, context: Any, connection: sa.Connection) -> None:
        crash("after the inbox row")
        row = sa.select(APPLIED.c.times).where(APPLIED.c.n == event)
        if connection.scalar(row) is None:
            connection.execute(sa.insert(APPLIED), {"n": event, "times": 1})
        else:
            connection.execute(
                sa.update(APPLIED).where(APPLIED.c.n == event).values(times=APPLIED.c.times + 1)
            )
        crash("after the handler's change")
        answer = Message(body=b"%d" % event, id=f"answer-{event}", type="answered")
        OUTBOX.add(connection, answer, to=Destination(work.names.exchange, "answered"))
        crash("before the handler's commit")

    def receive(received: list[Received]) -> None:
        for each in received:
            arrived.put_nowait(each)

    await work.broker.subscribe(work.names.changes, receive, prefetch=10)
    while True:
        received = await arrived.get()
        crash("before the handler")
        context: Any = Context(received.message)
        await asyncio.to_thread(handle, int(received.body), context)
        crash("between the handler's commit and the ack")
        received.ack()
        crash("after the ack")


class Context:
    """As much of a handler's context as the inbox needs."""

    def __init__(self, message: Message) -> None:
        self.message = message
        self.consumer = "consumer"


ROLES = {"produce": make_changes, "relay": relay, "consume": consume}


async def main() -> None:
    name, roles, database, url, crash_at, count = sys.argv[1:]
    engine = sa.create_engine(database, pool_pre_ping=True)
    METADATA.create_all(engine)
    broker = await open_broker(url)
    work = Work(Names(name), engine, broker, CrashPoint(crash_at), int(count))
    await broker.initialize(work.names.topology)
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    await asyncio.gather(*(ROLES[role](work) for role in roles.split(",")))


def run() -> None:
    asyncio.run(main())


if __name__ == "__main__":
    run()
