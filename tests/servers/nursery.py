"""Programs that begin with everything imported: a process loads one, and forks for every start of it.

A test that ends its program again and again would mostly wait for imports. What is born here is a process
like any other, with a session, a folder, a log and an end of its own.

`python -m tests.servers.nursery MODULE:FUNCTION MODULE…` imports the modules and reads lines, one for each
start. Knows no program in particular and no pytest.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import gc
import importlib
import json
import os
import signal
import subprocess
import sys
import time
import traceback
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True, slots=True)
class Born:
    """A process of the nursery's, as its user sees it."""

    pid: int
    #: Where it began; its end is written down there.
    folder: Path

    @property
    def returncode(self) -> int | None:
        return self.poll()

    def poll(self) -> int | None:
        """Its exit code, negative if it was killed; None while it lives."""
        note = _note(self.folder, self.pid)
        return int(note.read_text()) if note.exists() else None

    def wait(self, timeout: float) -> int:
        until = time.monotonic() + timeout
        while (code := self.poll()) is None:
            assert time.monotonic() < until, f"process {self.pid} has not ended"
            time.sleep(0.005)
        return code

    def kill(self) -> None:
        """`kill -9`, and wait until it is gone."""
        if self.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)
            self.wait(60)


class Nursery:
    """A process that has loaded a program."""

    def __init__(self, program: str, *modules: str) -> None:
        paths = os.pathsep.join((str(ROOT / "src"), str(ROOT)))
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.servers.nursery", program, *modules],
            env=os.environ | {"PYTHONPATH": paths},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def start(self, *arguments: str | Path, folder: Path, log: Path) -> Born:
        """Start the program in the folder, all it says going to the log."""
        start = {
            "arguments": [str(each) for each in arguments],
            "environment": dict(os.environ),
            "folder": str(folder),
            "log": str(log),
        }
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{json.dumps(start)}\n")
        self._process.stdin.flush()
        pid = self._process.stdout.readline()
        assert pid, "the nursery has ended; it has said why"
        return Born(int(pid), folder)

    def close(self) -> None:
        """Nothing more is born. What still lives is not waited for."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()


@functools.cache
def nursery(program: str, *modules: str) -> Nursery:
    """The one for that program of this process, and as long as it lives."""
    made = Nursery(program, *modules)
    atexit.register(made.close)
    return made


# In the nursery


def main(program: str, modules: Sequence[str]) -> None:
    for module in modules:
        importlib.import_module(module)
    module, _, name = program.partition(":")
    run = getattr(importlib.import_module(module), name)
    gc.freeze()
    for line in sys.stdin:
        if os.fork() == 0:
            _keep(run, **json.loads(line))
        _reap()


def _reap() -> None:
    """Take leave of the keepers that are done."""
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG) != (0, 0):
            pass


def _note(folder: Path, pid: int) -> Path:
    return folder / f"end-of-{pid}"


def _keep(run: Callable[[], object], folder: str, **start: Any) -> None:
    """Bear the program, say which process it is, and write its end down."""
    if (pid := os.fork()) == 0:
        os.chdir(folder)
        _begin(run, **start)
    note = _note(Path(folder), pid)
    note.unlink(missing_ok=True)  # of another with that number, long ago
    print(pid, flush=True)  # noqa: T201  to whoever has asked
    _, status = os.waitpid(pid, 0)
    # A folder that is gone has nobody who would read it.
    with contextlib.suppress(OSError):
        half = note.with_suffix(".half")
        half.write_text(str(os.waitstatus_to_exitcode(status)))
        half.rename(note)
    os._exit(0)


def _begin(run: Callable[[], object], arguments: list[str], environment: dict[str, str], log: str) -> None:
    os.setsid()
    os.environ.clear()
    os.environ.update(environment)
    for path, number, how in (
        (os.devnull, 0, os.O_RDONLY),
        (log, 1, os.O_WRONLY | os.O_CREAT | os.O_TRUNC),
    ):
        opened = os.open(path, how)
        os.dup2(opened, number)
        os.close(opened)
    os.dup2(1, 2)
    sys.argv[1:] = arguments
    os._exit(_code_of(run))


def _code_of(run: Callable[[], object]) -> int:
    """What a process would end with that did nothing else."""
    code = 0
    try:
        run()
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:  # noqa: BLE001  as the interpreter would have told it
        traceback.print_exc()
        code = 1
    sys.stdout.flush()
    sys.stderr.flush()
    return code


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
