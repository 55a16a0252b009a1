from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from penstock.clock import VirtualClock
from penstock.errors import MessagingError, ProcessDied
from penstock.messaging import Context, Message
from penstock.messaging.subscriptions.worker import Worker
from penstock.workers.job import Desk, Job, Known
from penstock.workers.jobs import Jobs
from penstock.workers.process import Pipe, Process
from penstock.workers.reporting import Reporter
from tests.messaging.fakes import FakeBroker, FakeReceived
from tests.workers import handlers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@pytest.fixture(scope="module")
def process() -> Iterator[Process]:
    made = Process()
    yield made
    made.close()


def job(content: Any = None) -> Job[Any]:
    return Job("/job", content, known=Known())


def test_a_handler_tells_the_worker_how_far_it_is_and_asks_for_time(process: Process) -> None:
    async def story() -> None:
        broker, worker, clock = FakeBroker(), Worker(time_limit=10.0), VirtualClock(1000.0)
        worker.limit(clock.now())
        reporter = Reporter(broker)
        context = Context(FakeReceived(Message(body=b"{}", id="7")), "bg", worker, clock)
        asked: Job[float] = Job("/job", 60.0, context=context, desk=Desk(Jobs(broker), reporter))
        assert await asyncio.to_thread(process.do, handlers.chatter, asked, None) == "7"
        assert worker.deadline == 1060
        await asyncio.sleep(0)
        assert reporter.progress == {"7": {"half": True}}

    asyncio.run(story())


def test_what_a_handler_raises_is_its_own_and_the_process_goes_on(process: Process) -> None:
    with pytest.raises(ConnectionResetError, match="the other server hung up") as caught:
        process.do(handlers.refuse, job(), None)
    assert "in refuse" in caught.value.__notes__[0]
    with pytest.raises(MessagingError, match="Unportable: trouble at sea"):
        process.do(handlers.complain, job(), None)
    with pytest.raises(Exception, match="lambda"):
        process.do(handlers.secretive, job(), None)
    with pytest.raises(Exception, match="lambda"):
        process.do(lambda job: job, job(), None)
    assert process.do(handlers.square, job(3), None) == 9
    assert process.is_alive


def test_words_that_cannot_be_heard_are_no_reason_to_leave_a_job(
    process: Process, caplog: pytest.LogCaptureFixture
) -> None:
    # This one has no worker that could give it time, or take a report.
    assert process.do(handlers.chatter, job(60.0), None) == ""
    assert caplog.text.count("came to nothing") == 2
    assert process.do(handlers.square, job(3), None) == 9


def test_a_thread_that_outlives_its_job_has_nothing_to_say() -> None:
    sent: list[Any] = []
    line: Any = SimpleNamespace(send=sent.append)
    pipe = Pipe(line)
    pipe.touch(1)
    pipe.answer("done", 7)
    pipe.touch(2)
    pipe.report("late")
    assert sent == [("touch", 1.0), ("done", 7)]


def test_progress_that_cannot_be_written_is_the_handler_s_mistake() -> None:
    class Silent:
        def send(self, word: object) -> None:
            raise AssertionError(word)

    silent: Any = Silent()
    with pytest.raises(MessagingError, match="cannot be written as JSON"):
        Pipe(silent).report(object())


@pytest.mark.parametrize("die", [handlers.die, handlers.die_talking])
def test_a_process_that_dies_says_so(die: Callable[..., None]) -> None:
    process = Process()
    with pytest.raises(ProcessDied, match="the process that did /job is dead"):
        process.do(die, job(), None)
    assert repr(process).endswith(", dead>")
    process.close()
