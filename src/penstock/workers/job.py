"""A job, as its handler gets it: the content, whose it is, and what may be asked while it is worked on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Generic, NamedTuple, TypeVar

from penstock.errors import MessagingError
from penstock.workers.reporting import Report

if TYPE_CHECKING:
    from penstock.messaging import Context, Message
    from penstock.workers.form import UserId
    from penstock.workers.jobs import Jobs
    from penstock.workers.process import Pipe
    from penstock.workers.reporting import Reporter

__all__ = ["Desk", "Job", "Known", "SentJob"]

#: What a Penstock broker writes on a job from its beanstalk front; its copies keep it.
JOB_NUMBER: Final = "x-job-id"

Content = TypeVar("Content")


class Desk(NamedTuple):
    """What jobs need of the worker that does them."""

    jobs: Jobs
    reporter: Reporter


class Known(NamedTuple):
    """What a job knows of its message where the message is not: in another process, or in a test."""

    id: str = ""
    queue: str = ""
    attempts: int = 0


class Job(Generic[Content]):
    """One job. Annotate a handler's argument `Job[Upgrade]`, and the content is checked to be one."""

    __slots__ = ("_context", "_desk", "_known", "_report", "content", "route", "user_id")

    def __init__(
        self,
        route: str,
        content: Content,
        user_id: UserId | None = None,
        context: Context | None = None,
        desk: Desk | None = None,
        known: Known | None = None,
    ) -> None:
        # Made for every job: what most handlers do not ask for is found when one does.
        self.route = route
        self.content = content
        self.user_id = user_id
        self._context = context
        self._desk = desk
        self._known = known
        self._report: Report | None = None

    def __repr__(self) -> str:
        return f"<Job {self.id} {self.route}, tried {self.attempts} times before>"

    def __reduce__(self) -> tuple[Any, ...]:
        # To another process goes what the job is, and not the worker's connection.
        return SentJob, (self.route, self.content, self.user_id, None, None, self._identity)

    @property
    def id(self) -> str:
        """The same however often it is tried: what makes a handler idempotent."""
        return self._identity.id

    @property
    def queue(self) -> str:
        """The queue that it came from."""
        return self._identity.queue

    @property
    def attempts(self) -> int:
        """How often it was tried before."""
        return self._identity.attempts

    @property
    def message(self) -> Message:
        """The message that it came as."""
        return self._working[0].message

    @property
    def jobs(self) -> Jobs:
        """Where a handler puts further jobs, on the same broker. On the event loop."""
        return self._working[1].jobs

    @property
    def time_left(self) -> float:
        """Seconds until the time limit, infinite without one."""
        return self._working[0].time_left

    def touch(self, seconds: float) -> None:
        """It may take that much from now on; its time is never cut by this. From any thread."""
        self._working[0].extend(seconds)

    def report(self, progress: Any) -> None:
        """Tell whoever waits for the job how far it is. Never waits. From any thread.

        Raises:
            MessagingError: that cannot be written as JSON.
        """
        self.told.progress(progress)

    @property
    def told(self) -> Report:
        """What whoever waits for the job is told of it."""
        if self._report is None:
            context, desk = self._working
            self._report = Report(desk.reporter, self.id, context.wishes.reply_to)
        return self._report

    @property
    def _identity(self) -> Known:
        if self._known is None:
            context = self._working[0]
            message = context.message
            # A job that was put over the beanstalk protocol has a number in place of an id.
            name = message.headers.get(JOB_NUMBER, message.id)
            self._known = Known(str(name), context.queue, message.attempts)
        return self._known

    @property
    def _working(self) -> tuple[Context, Desk]:
        if self._context is None or self._desk is None:
            raise MessagingError(
                f"a handler of {self.route} that runs in a process of its own has the job, and may touch and "
                "report: what needs more of the worker belongs in a plain or an async handler"
            )
        return self._context, self._desk


class SentJob(Job[Content]):
    """A job in another process: the worker hears of it through a pipe."""

    __slots__ = ("pipe",)

    pipe: Pipe

    def touch(self, seconds: float) -> None:
        self.pipe.touch(seconds)

    def report(self, progress: Any) -> None:
        self.pipe.report(progress)
