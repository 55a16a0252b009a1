"""Domains of one's own for a while: `penstock did up` in a folder, until they are no longer needed."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections import deque
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from penstock.errors import DidError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

__all__ = ["started_domains"]

#: What `penstock did up` says when its domains answer, and when all of it is there.
ANSWERING: Final = "penstock is ready:"
COMPLETE: Final = "Spark is ready"
#: Somebody is watching: batches are cut soon, and tried again soon.
IMPATIENT: Final = (
    "--batch-writer-timeout=500",
    "--task-manager-check-interval=1s",
    "--anchor-status-monitoring-interval=1s",
)
#: Seconds that all of it has to end in good order.
END_WITHIN: Final = 60


@contextmanager
def started_domains(
    count: int, folder: Path, tell: Callable[[str], object], command: Sequence[str] | None = None
) -> Iterator[list[str]]:
    """The URLs of so many domains that know each other; they end with the context.

    Args:
        folder: Where they keep everything.
        tell: Told what they say while they start.
        command: What starts them, in place of `penstock did up`.

    Raises:
        DidError: they have not started, and why.
    """
    begin = command or [sys.executable, "-m", "penstock", "did", "up"]
    arguments = [*begin, "--domains", str(count), "--data", str(folder), *IMPATIENT]
    # In a session of its own: Ctrl-C is for us, and we end it in good order.
    process = subprocess.Popen(  # noqa: S603  our own program
        arguments, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True
    )
    try:
        yield _urls(process, tell)
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(END_WITHIN)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        if process.stdout is not None:
            process.stdout.close()


def _urls(process: subprocess.Popen[str], tell: Callable[[str], object]) -> list[str]:
    urls: list[str] = []
    last: deque[str] = deque(["it has not said why"], maxlen=1)
    for line in process.stdout or ():
        last.append(line.strip())
        tell(line.rstrip())
        if line.startswith(ANSWERING):
            urls = line.removeprefix(ANSWERING).split()
        if line.startswith(COMPLETE):
            return urls
    raise DidError(f"the domains have not started: {last[-1].removeprefix('penstock: ')}")
