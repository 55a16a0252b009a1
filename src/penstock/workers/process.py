"""One process that does jobs, one at a time, and the pipe that it and the worker talk through.

Down the pipe goes a handler and its job; up come words of the job while it is worked on, and its end. Both
sides are here, since they are one protocol. Nothing here knows of other processes, or of an event loop.
"""

from __future__ import annotations

import logging
import multiprocessing
import pickle
import signal
import threading
import traceback
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, Final

import msgspec

from penstock.errors import MessagingError, ProcessDied
from penstock.messaging.tracing import going_on

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from multiprocessing.connection import Connection

    from penstock.messaging.tracing import Trace
    from penstock.workers.job import Job

__all__ = ["Pipe", "Process"]

_log = logging.getLogger(__name__)

#: A copy of the worker's process would have its threads' locks and its connections, too.
SPAWN: Final = multiprocessing.get_context("spawn")
#: Seconds that a process which has let go of its pipe has to be gone.
GONE_WITHIN_S: Final = 5.0

DONE: Final = "done"
FAILED: Final = "failed"
TOUCH: Final = "touch"
REPORT: Final = "report"
#: What the worker does at a word of a job that is worked on.
WORDS: Final[Mapping[str, Callable[[Job[Any], Any], None]]] = {
    TOUCH: lambda job, seconds: job.touch(seconds),
    REPORT: lambda job, progress: job.report(msgspec.json.decode(progress)),
}


class Process:
    """A process that waits for jobs from the moment it is made."""

    def __init__(self) -> None:
        self._pipe, theirs = SPAWN.Pipe()
        self._process = SPAWN.Process(target=_work, args=(theirs,), name="worker's process")
        self._process.start()
        # Theirs alone now: when they end, so does the pipe.
        theirs.close()

    def __repr__(self) -> str:
        return f"<Process {self._process.pid}, {'alive' if self.is_alive else 'dead'}>"

    @property
    def is_alive(self) -> bool:
        return self._process.is_alive()

    def do(self, handler: Callable[[Job[Any]], Any], job: Job[Any], trace: Trace | None) -> Any:
        """Have a job done, and return what the handler does, or raise. Waits, so it is for a thread.

        Raises:
            ProcessDied: and the job with it.
        """
        with self._dying(job.route):
            self._pipe.send((handler, job, trace))
        while True:
            with self._dying(job.route):
                word, value = self._pipe.recv()
            if word == DONE:
                return value
            if word == FAILED:
                raise value
            try:
                WORDS[word](job, value)
            except Exception:  # noqa: BLE001  the job goes on, and so must whoever waits for its end
                _log.exception("%s: %s of %r came to nothing", job.route, word, value)

    @contextmanager
    def _dying(self, route: str) -> Iterator[None]:
        """Tell it as what it is when there is nobody at the other end."""
        try:
            yield
        except (EOFError, OSError) as exc:
            self._process.join(GONE_WITHIN_S)
            told = "it was killed, left by itself, or a library in it crashed"
            raise ProcessDied(f"the process that did {route} is dead: {told}") from exc

    def kill(self) -> None:
        """End it, whatever it is at. From any thread."""
        self._process.kill()

    def close(self) -> None:
        """Give it no more jobs, so that it ends. Not while one is being done."""
        self._pipe.close()


# In the process


class Pipe:
    """A process's end, for one job: words of a handler that may have several threads go one after another."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._lock = threading.Lock()
        self._is_over = False

    def touch(self, seconds: float) -> None:
        """The job may take that much from now on."""
        self._send(TOUCH, float(seconds))

    def report(self, progress: Any) -> None:
        """How far the job is.

        Raises:
            MessagingError: that cannot be written as JSON.
        """
        try:
            told = msgspec.json.encode(progress)
        except (TypeError, ValueError, msgspec.MsgspecError) as exc:
            raise MessagingError(f"what a job told cannot be written as JSON: {exc}") from exc
        self._send(REPORT, told)

    def answer(self, word: str, value: Any) -> None:
        """The job is over; a result that cannot be sent is its failure."""
        try:
            self._send(word, value, is_last=True)
        except (pickle.PicklingError, TypeError, AttributeError) as exc:
            self._send(FAILED, _portable(exc), is_last=True)

    def _send(self, word: str, value: Any, *, is_last: bool = False) -> None:
        with self._lock:
            # A thread that outlives its job has nothing to say: it would be taken for the next one's.
            if not self._is_over:
                self._connection.send((word, value))
                self._is_over = is_last


def _work(connection: Connection) -> None:
    """Do one job after another until the worker lets go of the pipe."""
    # Ctrl-C in a terminal reaches every process there; the worker decides what becomes of a job then.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with suppress(EOFError, ConnectionError):
        while True:
            asked, pipe = connection.recv_bytes(), Pipe(connection)
            pipe.answer(*_outcome(asked, pipe))


def _outcome(asked: bytes, pipe: Pipe) -> tuple[str, Any]:
    try:
        handler, job, trace = pickle.loads(asked)  # noqa: S301  from the worker, which has started this process
        job.pipe = pipe
        with going_on(trace):
            return DONE, handler(job)
    except Exception as exc:  # noqa: BLE001  whatever a handler raises is its job's failure
        return FAILED, _portable(exc)


def _portable(error: Exception) -> Exception:
    """The error as the worker's process can have it, with what happened here as a note."""
    error.add_note("".join(traceback.format_exception(error)))
    try:
        pickle.loads(pickle.dumps(error))  # noqa: S301  our own, of a moment ago
    except Exception:  # noqa: BLE001  a class of exceptions that nobody thought of sending anywhere
        return MessagingError(f"{type(error).__qualname__}: {error}")
    return error
