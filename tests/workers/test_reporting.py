from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from penstock.errors import MessagingError, PersistentError, Unroutable
from penstock.workers.reporting import MOST_PROGRESS, Report, Reporter
from tests.messaging.fakes import FakeBroker, turns

if TYPE_CHECKING:
    from penstock.messaging import Destination, Message


class Uneven(FakeBroker):
    """The first that is sent takes the longest."""

    async def publish(self, message: Message, to: Destination, *, timeout: float | None = None) -> None:  # noqa: ASYNC109
        self.sent += 1
        await turns(50 // self.sent)
        await super().publish(message, to)

    sent = 0


def told(broker: FakeBroker) -> list[Any]:
    return [msgspec.json.decode(message.body) for message, _ in broker.published]


def test_reports_come_in_order_and_the_result_last() -> None:
    async def story() -> None:
        broker = Uneven()
        reporter = Reporter(broker)
        report = Report(reporter, "j1", "till")
        for number in range(3):
            await asyncio.to_thread(report.progress, number)
        await report.done({"level": 4})
        assert told(broker) == [
            *({"job": "j1", "state": "progress", "value": number} for number in range(3)),
            {"job": "j1", "state": "done", "value": {"level": 4}},
        ]
        assert {to.key for _, to in broker.published} == {"till"}
        assert [message.durable for message, _ in broker.published] == [False, False, False, True]
        assert not reporter.is_busy

    asyncio.run(story())


def test_a_failure_is_told_without_waiting_and_waited_for_at_the_end() -> None:
    async def story() -> None:
        broker = FakeBroker()
        reporter = Reporter(broker)
        Report(reporter, "j1", "till").failed("no such building")
        assert (reporter.is_busy, told(broker)) == (True, [])
        await reporter.drain()
        assert told(broker) == [{"job": "j1", "state": "failed", "error": "no such building"}]

    asyncio.run(story())


def test_where_nobody_waits_nothing_is_sent() -> None:
    async def story() -> None:
        broker = FakeBroker()
        report = Report(Reporter(broker), "j1", None)
        report.progress(object())
        await report.done(object())
        report.failed("why")
        await turns()
        assert broker.published == []

    asyncio.run(story())


def test_a_caller_that_has_gone_is_no_reason_to_fail_a_job() -> None:
    async def story() -> None:
        broker = FakeBroker()
        broker.errors.append(Unroutable("gone"))
        await Report(Reporter(broker), "j1", "till").done(1)
        assert broker.published == []

    asyncio.run(story())


def test_what_json_cannot_hold_is_a_mistake_of_the_handler() -> None:
    async def story() -> None:
        report = Report(Reporter(FakeBroker()), "j1", "till")
        with pytest.raises(PersistentError, match="cannot be written as JSON"):
            await report.done(object())
        with pytest.raises(MessagingError, match="cannot be written as JSON"):
            report.progress(object())

    asyncio.run(story())


def test_progress_that_nobody_asks_about_does_not_pile_up() -> None:
    async def story() -> None:
        reporter = Reporter(FakeBroker())
        for number in range(MOST_PROGRESS + 2):
            reporter.note(f"j{max(number, 1)}", number)
            reporter.note("j0", number)
        assert len(reporter.progress) == MOST_PROGRESS
        assert "j0" in reporter.progress, "it has reported just now"
        assert {"j1", "j2"}.isdisjoint(reporter.progress)

    asyncio.run(story())


def test_what_was_reported_last_is_known_whether_anybody_waits_or_not_until_it_is_forgotten() -> None:
    async def story() -> None:
        reporter = Reporter(FakeBroker())
        for job, to in (("j1", "till"), ("j2", None)):
            for progress in (0.25, 0.5):
                await asyncio.to_thread(Report(reporter, job, to).progress, progress)
        await turns()
        assert reporter.progress == {"j1": 0.5, "j2": 0.5}
        reporter.keep_progress({"j2"})
        assert reporter.progress == {"j2": 0.5}
        await reporter.drain()

    asyncio.run(story())
