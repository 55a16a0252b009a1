"""Processes that are kept alive: one that ends is started again, later and later while it keeps on failing.

A program says on its standard output that it is ready, when it is. It ends when its standard input does, so
that nothing outlives whoever started it, however that ended. What else it has to say goes to its log.
"""

from __future__ import annotations

import asyncio
import os
import signal
import threading
from asyncio.subprocess import PIPE
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import IO, TYPE_CHECKING, Any, Final

from penstock.cli.errors import MISUSED
from penstock.cli.last_words import last_line, last_warning, size_of
from penstock.clock import SystemClock, sleep
from penstock.errors import BadSetting

if TYPE_CHECKING:
    from asyncio.subprocess import Process
    from collections.abc import Awaitable, Callable, Coroutine, Iterator, Mapping, Sequence
    from pathlib import Path

    from penstock.clock import Alarm, Clock

    Tell = Callable[[str], None]

__all__ = ["CHILD", "READY", "Program", "Supervisor", "end_with_parent", "until_a_signal"]

#: What a line begins with by which a program says so; a broker adds where it listens.
READY: Final = "penstock is ready"
#: The environment's word that a command was started by another one, and ends with it.
CHILD: Final = "PENSTOCK_CHILD"
#: Seconds before it is started again; each wait is twice the one before, until it has lived long enough.
SHORTEST_S: Final = 0.5
LONGEST_S: Final = 30.0
WELL_AFTER_S: Final = 60.0
#: Seconds after which it is told what a program waits for that is not ready.
LATE_S: Final = 10.0
#: What asks us to end.
STOPPING: Final = (signal.SIGINT, signal.SIGTERM)
#: Seconds that a program has to end when it is asked to.
END_WITHIN_S: Final = 40.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """What is to run."""

    name: str
    arguments: Sequence[str]
    #: None is where our own errors go.
    log: Path | None
    #: What its environment has beside ours.
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)
    #: Open files that it has, too.
    files: Sequence[int] = ()


class _Kept:
    """One program, kept alive."""

    def __init__(self, program: Program, tell: Tell, clock: Clock) -> None:
        self.program = program
        self.is_ready = asyncio.Event()
        self._tell = tell
        self._clock = clock
        self._process: Process | None = None
        self._wait = SHORTEST_S
        #: Where its log was when its life began.
        self._since = 0

    async def run(self) -> None:
        """Run it, again and again.

        Raises:
            BadSetting: it was started with what cannot be; starting it again will not help.
        """
        while True:
            begun = self._clock.now()
            code = await self._live()
            if self._clock.now() - begun > WELL_AFTER_S:
                self._wait = SHORTEST_S
            said = last_line(self.program.log, self._since) if code > 0 else ""
            if code == MISUSED and not self.is_ready.is_set():
                raise BadSetting(f"{self.program.name}: {said or 'its log says why'}", setting="")
            wait, self._wait = self._wait, min(self._wait * 2, LONGEST_S)
            self._say(f"{_ending(code)}, and is started again in {wait:g} s", said)
            await sleep(self._clock, wait)

    def _say(self, what: str, why: str) -> None:
        log = f" ({self.program.log})" if self.program.log else ""
        self._tell(f"{self.program.name} {what}{log}" + (f": {why}" if why else ""))

    def _look_later(self) -> Alarm:
        return self._clock.call_at(self._clock.now() + LATE_S, self._look)

    def _look(self) -> None:
        """Tell what it waits for, once, if it is not ready yet."""
        if self.is_ready.is_set():
            return
        if trouble := last_warning(self.program.log, self._since):
            self._say("is not ready yet", trouble)
        else:
            self._alarm = self._look_later()

    async def _live(self) -> int:
        """One life of it; how it ended."""
        program = self.program
        self._since = size_of(program.log)
        with _opened(program.log) as log:
            self._process = process = await asyncio.create_subprocess_exec(
                *program.arguments,
                env=os.environ | program.environment,
                stdin=PIPE,
                stdout=PIPE,
                stderr=log,
                pass_fds=program.files,
                # Ctrl-C is for us; we end the programs, each in its turn.
                start_new_session=True,
            )
        assert process.stdout is not None  # noqa: S101  it is a pipe, as was asked for
        self._alarm = self._look_later()
        try:
            async for line in process.stdout:
                if line.startswith(READY.encode()):
                    self.is_ready.set()
            return await process.wait()
        finally:
            self._alarm.cancel()

    async def end(self) -> None:
        """Have it end, in good order if it can."""
        process = self._process
        if process is None or process.returncode is not None:
            return
        with suppress(ProcessLookupError):
            process.terminate()
        try:
            async with asyncio.timeout(END_WITHIN_S):
                await process.wait()
        except TimeoutError:
            self._tell(f"{self.program.name} does not end by itself, and is killed")
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()


class Supervisor:
    """Keeps programs alive. `start` them in order, `watch` meanwhile, `stop` them in the opposite order."""

    def __init__(self, tell: Tell, *, clock: Clock | None = None) -> None:
        self._tell = tell
        self._clock = clock or SystemClock()
        self._kept: list[tuple[_Kept, asyncio.Task[None]]] = []
        self._failed = asyncio.Event()

    def start(self, program: Program) -> asyncio.Event:
        """Keep a program alive from now on; returns what is set when it is ready for the first time."""
        kept = _Kept(program, self._tell, self._clock)
        task = asyncio.create_task(kept.run(), name=program.name)
        # They never end by themselves, but for what cannot be mended.
        task.add_done_callback(lambda _: self._failed.set())
        self._kept.append((kept, task))
        return kept.is_ready

    async def watch(self, until: asyncio.Task[None]) -> None:
        """Wait for the end of a task, or of a program.

        Raises:
            BadSetting: a program was started with what cannot be.
        """
        failing = asyncio.create_task(self._failed.wait())
        try:
            await asyncio.wait({until, failing}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            failing.cancel()
        for task in (until, *(task for _, task in self._kept)):
            if task.done() and not task.cancelled():
                task.result()

    async def stop(self, *, one_by_one: int | None = None) -> None:
        """End all programs, the last that was started first.

        Args:
            one_by_one: So many, the first that were started, are ended each by itself; the others before
                them, all at once. None is all.
        """
        kept, self._kept = self._kept, []
        together = [] if one_by_one is None else kept[one_by_one:]
        await asyncio.gather(*(_ended(each, task) for each, task in together))
        for each, task in reversed(kept[:one_by_one]):
            await _ended(each, task)


async def _ended(kept: _Kept, task: asyncio.Task[None]) -> None:
    task.cancel()
    await kept.end()
    await asyncio.gather(task, return_exceptions=True)


async def until_a_signal(
    starting: Coroutine[Any, Any, None],
    watch: Callable[[asyncio.Task[None]], Awaitable[None]],
    stop: Callable[[], Awaitable[None]],
) -> None:
    """Start everything, watch it until Ctrl-C or the signal TERM comes, and stop it.

    Args:
        starting: Starts all programs, and then waits for ever.
        watch: A supervisor's.
        stop: Called in any case.

    Raises:
        BadSetting: a program cannot be run like that.
    """
    loop, running = asyncio.get_running_loop(), asyncio.create_task(starting)
    for number in STOPPING:
        loop.add_signal_handler(number, running.cancel)
    try:
        await watch(running)
    finally:
        running.cancel()
        for number in STOPPING:
            # The second time it ends at once, and everything with it.
            loop.remove_signal_handler(number)
        await stop()


def end_with_parent() -> None:
    """In a program: end when whoever started it lets go of its standard input, at the latest by dying."""

    def wait() -> None:
        while os.read(0, 4096):
            pass
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=wait, name="parent", daemon=True).start()


def _ending(code: int) -> str:
    if code >= 0:
        return f"has ended with {code}"
    with suppress(ValueError):
        return f"was ended by {signal.Signals(-code).name}"
    return f"was ended by signal {-code}"


@contextmanager
def _opened(log: Path | None) -> Iterator[IO[bytes] | None]:
    if log is None:
        yield None
        return
    log.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with log.open("ab") as file:
        yield file
