from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from itertools import pairwise
from math import inf
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from penstock import testing
from penstock.client import Queue
from penstock.clock import sleep
from penstock.errors import (
    BrokerRefused,
    InvalidMessage,
    MessagingError,
    PersistentError,
    TransientError,
    Unroutable,
)
from penstock.messaging import Destination, Message, Topology
from penstock.messaging.application import Application
from penstock.messaging.events import event
from penstock.messaging.settings import MessagingSettings
from penstock.messaging.subscriptions import Backoff, Context, Delivered, Pausing, Republish
from tests.messaging.fakes import FakeAlerts, FakeBroker

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from penstock.messaging import Broker


@event("ThreadCreated", version=2)
class ThreadCreated(msgspec.Struct):
    title: str


@event("ThreadDeleted")
class ThreadDeleted(msgspec.Struct):
    title: str


class Unheard(msgspec.Struct):
    title: str


@asynccontextmanager
async def running(app: Application, controlled: testing.ControlledBroker) -> AsyncIterator[Application]:
    """The application at work on a broker whose clock the test moves."""
    app._given = await controlled.port()
    controlled.watch(app)
    async with app:
        yield app


def application(**options: Any) -> Application:
    return Application("commons", **options)


def test_an_event_reaches_every_consumer_that_wants_it() -> None:
    async def story() -> None:
        app = application()
        seen: list[Any] = []

        @app.consumer(ThreadCreated, ThreadDeleted)
        async def notifications(event: Any, context: Context) -> None:
            seen.append(("notifications", event, context.message.id))

        @app.consumer(ThreadCreated, queue="Search")
        async def index(event: ThreadCreated) -> None:
            seen.append(("index", event))

        async with testing.broker() as controlled, running(app, controlled):
            message = await app.publish(ThreadCreated(title="Hello"), headers={"mine": 1})
            await app.publish(ThreadDeleted(title="Hello"))
            await controlled.settled()
            assert len(seen) == 3
            assert ("notifications", ThreadCreated(title="Hello"), message.id) in seen
            assert ("index", ThreadCreated(title="Hello")) in seen
            assert (message.type, message.version, message.headers) == ("ThreadCreated", 2, {"mine": 1})
            assert [each.consumer.queue for each in app.subscriptions] == [
                "commons.notifications",
                "commons.Search",
            ]
            assert controlled.queue("commons.Search").depth == 0

    asyncio.run(story())


def test_without_a_url_the_broker_is_in_the_process() -> None:
    async def story() -> None:
        app = application()
        done = asyncio.Event()

        @app.consumer(ThreadCreated)
        async def notifications(_: ThreadCreated) -> None:
            done.set()

        async with app:
            assert app.broker.product == "Penstock"
            await app.publish(ThreadCreated(title="Hello"))
            async with asyncio.timeout(60):
                await done.wait()
        assert repr(app) == "<Application commons, 1 consumers, stopped>"

    asyncio.run(story())


def test_a_failed_event_is_retried_by_the_clock_and_ends_among_the_dead_letters() -> None:
    async def story() -> None:
        app = application(alerts=(alerts := FakeAlerts()))
        tried: list[float] = []

        @app.consumer(ThreadCreated, retry=Backoff(attempts=3, initial=10, multiplier=3, cap=60, jitter=0))
        async def notifications(_: ThreadCreated) -> None:
            tried.append(controlled.clock.now())
            raise ValueError("no")

        async with testing.broker() as controlled, running(app, controlled):
            await app.publish(ThreadCreated(title="Hello"))
            await controlled.advance("1 day")
            assert [round(later - sooner) for sooner, later in pairwise(tried)] == [
                10,
                30,
                60,
            ]
            (dead,) = controlled.queue("commons.dead-letters").messages
            assert dead.headers["x-penstock-attempts"] == 4
            assert dead.headers["x-penstock-consumer"] == "commons.notifications"
            assert alerts.kinds == ["exhausted"]

    asyncio.run(story())


def test_the_settings_retry_is_the_seeds() -> None:
    async def story() -> None:
        app = application()
        tried: list[int] = []

        @app.consumer(ThreadCreated)
        async def notifications(_: ThreadCreated, context: Context) -> None:
            tried.append(context.attempts)
            raise ValueError("no")

        async with testing.broker() as controlled, running(app, controlled):
            await app.publish(ThreadCreated(title="Hello"))
            await controlled.advance("1 hour")
            assert tried == list(range(21))

    asyncio.run(story())


def test_a_queue_may_see_to_redelivery_as_in_the_seed() -> None:
    async def story() -> None:
        settings = MessagingSettings(mq_redelivery="queue", mq_redelivery_max_attempts=4)
        app = application(settings=settings)
        tried: list[float] = []

        @app.consumer(ThreadCreated)
        async def notifications(_: ThreadCreated) -> None:
            tried.append(controlled.clock.now())
            raise ValueError("no")

        async with testing.broker() as controlled, running(app, controlled):
            await app.publish(ThreadCreated(title="Hello"))
            await controlled.advance("1 hour")
            assert [round(later - sooner, 1) for sooner, later in pairwise(tried)] == [0, 2, 3, 4.5]
            (dead,) = controlled.queue("commons.dead-letters").messages
            assert dead.headers["orb-redelivery-count"] == "4"

    asyncio.run(story())


@pytest.mark.parametrize(
    ("message", "why"),
    [
        (Message(body=b"{}", type="ThreadCreated", version=2), "title"),
        (Message(body=b"not json", type="ThreadCreated", version=2), "malformed"),
        (Message(body=b'{"title": ""}', type="ThreadCreated", version=7), "version 2, not 7"),
        (Message(body=b'{"title": ""}', type="ThreadDeleted"), "not declared here"),
        (Message(body=b'{"title": ""}'), "no type"),
    ],
)
def test_what_a_consumer_cannot_read_is_a_dead_letter_at_once(message: Message, why: str) -> None:
    async def story() -> None:
        app = application()
        handled: list[Any] = []
        app.consumer(ThreadCreated, name="notifications")(handled.append)
        async with testing.broker() as controlled, running(app, controlled):
            await app.broker.publish(message, Destination.queue("commons.notifications"))
            await controlled.settled()
            (dead,) = controlled.queue("commons.dead-letters").messages
            assert why in dead.headers["x-penstock-error"]
            assert dead.headers["x-penstock-reason"] == "the error is persistent"
            assert handled == []

    asyncio.run(story())


def test_a_delayed_event_waits() -> None:
    async def story() -> None:
        app = application()
        seen: list[Any] = []
        app.consumer(ThreadCreated, name="notifications")(seen.append)
        async with testing.broker() as controlled, running(app, controlled):
            await app.publish(ThreadCreated(title="Later"), delay=3 * 86_400)
            await controlled.advance("2 days")
            assert seen == []
            await controlled.advance("1 day")
            assert seen == [ThreadCreated(title="Later")]

    asyncio.run(story())


def test_an_override_replaces_a_key_or_drops_it() -> None:
    async def story() -> None:
        app = application(alerts=(alerts := FakeAlerts()))
        seen: list[Any] = []
        overrides: dict[type[Any] | str, str | None] = {
            ThreadCreated: "ThreadCreated.contest.#",
            "ThreadDeleted": None,
        }
        app.consumer(ThreadCreated, ThreadDeleted, name="contests", overrides=overrides)(seen.append)
        async with testing.broker() as controlled, running(app, controlled):
            await app.publish(ThreadCreated(title="A"), key="ThreadCreated.contest.5")
            for event_ in (ThreadCreated(title="B"), ThreadDeleted(title="C")):
                with pytest.raises(Unroutable):
                    await app.publish(event_)
            await controlled.settled()
            assert seen == [ThreadCreated(title="A")]
            assert alerts.kinds == ["unrouted", "unrouted"]
            assert alerts.raised[0].subject == "commons/ThreadCreated"

    asyncio.run(story())


def test_a_batch_consumer_gets_many() -> None:
    async def story() -> None:
        app = application()
        sizes: list[int] = []

        @app.batch_consumer(ThreadCreated, size=5, wait=0.2)
        async def bulk(events: list[Delivered]) -> None:
            assert all(isinstance(each.event, ThreadCreated) for each in events)
            sizes.append(len(events))

        async with testing.broker() as controlled, running(app, controlled):
            for _ in range(7):
                await app.publish(ThreadCreated(title="Hello"))
            await controlled.settled()
            assert sizes == [5]
            await controlled.advance(0.2)
            assert sizes == [5, 2]

    asyncio.run(story())


def test_a_queue_pauses_and_resumes_by_itself() -> None:
    async def story() -> None:
        app = application()
        is_away = [True]
        seen: list[str] = []

        @app.consumer(ThreadCreated, pausing=Pausing(after=3), retry=Republish(defer=1, attempts=100), pool=1)
        async def notifications(event_: ThreadCreated) -> None:
            if is_away[0]:
                raise TransientError("the provider is away")
            seen.append(event_.title)

        async with testing.broker() as controlled, running(app, controlled):
            for title in "abcdefgh":
                await app.publish(ThreadCreated(title=title))
            await controlled.settled()
            (subscription,) = app.subscriptions
            assert subscription.state == "paused"
            await controlled.advance("10 min")
            assert (subscription.state, seen) == ("paused", [])
            failed = subscription.counters.failed
            assert failed < 20, "it probed now and then"
            is_away[0] = False
            await controlled.advance("2 min")
            assert (subscription.state, sorted(seen)) == ("running", list("abcdefgh"))
            assert subscription.counters.dead == 0

    asyncio.run(story())


def test_a_stuck_consumer_is_reported() -> None:
    async def story() -> None:
        app = application(alerts=(alerts := FakeAlerts()), settings=MessagingSettings(mq_stuck_after=60))

        @app.consumer(ThreadCreated)
        async def notifications(_: ThreadCreated) -> None:
            await sleep(controlled.clock, 100)

        async with testing.broker(patience=0.01) as controlled, running(app, controlled):
            await app.publish(ThreadCreated(title="Hello"))
            await controlled.advance("90 s")
            assert set(alerts.kinds) == {"stuck-consumer"}
            await controlled.advance("10 s")

    asyncio.run(story())


def test_an_application_can_be_started_again() -> None:
    async def story() -> None:
        app = application(broker=(broker := FakeBroker()))
        app.consumer(ThreadCreated, name="notifications")(print)
        for times in (1, 2):
            async with app:
                assert len(app.subscriptions) == 1
            assert (len(app.subscriptions), len(broker.subscriptions)) == (0, times)

    asyncio.run(story())


def test_nobody_is_watched_after_the_end() -> None:
    async def story() -> None:
        app = application(alerts=FakeAlerts(), broker=(broker := FakeBroker()))
        async with app:
            assert broker.clock.next_at < inf
        assert broker.clock.next_at == inf

    asyncio.run(story())


def test_a_handlers_errors_can_be_classed() -> None:
    async def story() -> None:
        app = application()

        @app.consumer(ThreadCreated, persistent=(KeyError,), transient=(OSError,))
        async def notifications(_: ThreadCreated) -> None:
            raise PersistentError("no") from KeyError("no")

        errors = app.declarations[0].consumer("commons", app.settings).errors
        assert (errors.persistent, errors.transient) == ((KeyError,), (OSError,))

    asyncio.run(story())


class Part:
    def __init__(self, name: str, diary: list[str], *, fails: bool = False) -> None:
        self.name = name
        self.diary = diary
        self.fails = fails

    async def start(self, broker: Broker) -> None:
        assert broker.is_connected
        if self.fails:
            raise OSError("no database")
        self.diary.append(f"start {self.name}")

    async def stop(self) -> None:
        self.diary.append(f"stop {self.name}")


def test_parts_run_as_long_as_the_application() -> None:
    async def story() -> None:
        diary: list[str] = []
        broker = FakeBroker()
        app = application(broker=broker)
        for name in ("relay", "keeper"):
            app.attach(Part(name, diary))
        async with app:
            assert diary == ["start relay", "start keeper"]
        assert diary[2:] == ["stop keeper", "stop relay"]
        assert broker.is_connected, "a broker that was given is not closed"
        await app.stop()
        assert len(diary) == 4, "a second stop stops nothing"

    asyncio.run(story())


def test_a_part_that_cannot_start_takes_back_what_was_started() -> None:
    async def story() -> None:
        diary: list[str] = []
        app = application()
        for part in (Part("relay", diary), Part("keeper", diary, fails=True), Part("never", diary)):
            app.attach(part)
        with pytest.raises(OSError, match="no database"):
            await app.start()
        assert diary == ["start relay", "stop relay"]
        with pytest.raises(MessagingError, match="is not running"):
            _ = app.broker

    asyncio.run(story())


def test_a_handler_that_is_finishing_while_the_application_stops_may_publish() -> None:
    async def story() -> None:
        app = application()
        begun, may_end = asyncio.Event(), asyncio.Event()

        @app.consumer(ThreadCreated)
        async def notifications(_: ThreadCreated) -> None:
            begun.set()
            await may_end.wait()
            await app.publish(ThreadDeleted(title="as I said"))

        app.consumer(ThreadDeleted, name="others")(print)
        async with testing.broker() as controlled:
            app._given = await controlled.port()
            await app.start()
            (others,) = [each for each in app.subscriptions if each.consumer.queue == "commons.others"]
            await others.stop()
            await app.publish(ThreadCreated(title="Hello"))
            await begun.wait()
            stopping = asyncio.create_task(app.stop())
            await asyncio.sleep(0)
            may_end.set()
            await stopping
            assert controlled.queue("commons.others").depth == 1
            assert controlled.queue("commons.dead-letters").depth == 0

    asyncio.run(story())


def test_a_start_that_fails_leaves_nothing_running() -> None:
    async def story() -> None:
        app = application()
        app.consumer(ThreadCreated, name="notifications")(print)
        async with testing.broker() as controlled:
            given = app._given = await controlled.port()
            await given.initialize(Topology(queues=(Queue("commons.notifications", durable=False),)))
            with pytest.raises(BrokerRefused):
                await app.start()
            assert app.subscriptions == []
            await app.stop()

    asyncio.run(story())


def test_what_cannot_be_is_refused() -> None:
    async def story() -> None:
        app = application(broker=FakeBroker())
        app.consumer(ThreadCreated, name="notifications")(print)
        with pytest.raises(MessagingError, match="has a consumer notifications already"):
            app.consumer(ThreadDeleted, name="notifications")(print)
        with pytest.raises(MessagingError, match="consumes no event"):
            app.consumer(name="nothing")(print)
        with pytest.raises(MessagingError, match="is no event"):
            app.consumer(Unheard, name="unheard")(print)
        with pytest.raises(MessagingError, match="at most once"):
            app.consumer(ThreadCreated, name="once", at_most_once=True, retry=Backoff())(print)
        with pytest.raises(MessagingError, match="is not running"):
            await app.publish(ThreadCreated(title="Hello"))
        async with app:
            with pytest.raises(MessagingError, match="is running already"):
                await app.start()
            with pytest.raises(InvalidMessage):
                await app.publish(ThreadCreated(title=5))  # type: ignore[arg-type]
            with pytest.raises(MessagingError, match="is no event"):
                await app.publish(Unheard(title="Hello"))

    asyncio.run(story())
