"""Handlers that a process of their own can import."""

from __future__ import annotations

import os
import signal
import struct
import time
from pathlib import Path
from typing import Any, cast

from penstock.messaging.tracing import current_trace
from penstock.workers.job import Job  # noqa: TC001  annotations are read

__all__ = [
    "Unportable",
    "chatter",
    "complain",
    "die",
    "die_talking",
    "hang",
    "refuse",
    "secretive",
    "square",
    "traced",
    "wait_for",
    "whoami",
]


def square(job: Job[int]) -> int:
    return job.content**2


def whoami(job: Job[Any]) -> int:
    return os.getpid()


def die(job: Job[Any]) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def die_talking(job: Job[Any]) -> None:
    """In the midst of a word: its length is out, and not all of it."""
    os.write(cast("Any", job).pipe._connection.fileno(), struct.pack("!i", 100) + b"half")
    die(job)


def hang(job: Job[str]) -> None:
    """For ever, once the file has this process's number that the job names."""
    Path(job.content).write_text(str(os.getpid()))
    while True:
        time.sleep(60)


def chatter(job: Job[float]) -> str:
    """What a handler may tell the worker."""
    job.touch(job.content)
    job.report({"half": True})
    return job.id


def refuse(job: Job[Any]) -> None:
    """As a library does that cannot reach its own server."""
    raise ConnectionResetError("the other server hung up")


class Unportable(Exception):
    """One that cannot be made again from its text."""

    def __init__(self, what: str, where: str) -> None:
        super().__init__(f"{what} at {where}")


def complain(job: Job[Any]) -> None:
    raise Unportable("trouble", "sea")


def secretive(job: Job[Any]) -> Any:
    """What no other process can have."""
    return lambda: None


def wait_for(job: Job[str]) -> int:
    """Until the file is there that the job names."""
    while not Path(job.content).exists():
        time.sleep(0.01)
    return os.getpid()


def traced(job: Job[Any]) -> list[Any]:
    """What the handler's code knows of a trace, and what a span that it makes comes after."""
    from opentelemetry import trace as api  # noqa: PLC0415  set up here, and nowhere else
    from opentelemetry.sdk.trace import TracerProvider  # noqa: PLC0415

    if not isinstance(api.get_tracer_provider(), TracerProvider):
        api.set_tracer_provider(TracerProvider())
    found = current_trace()
    told: list[Any] = [None, None] if found is None else [found.parent, found.state]
    with api.get_tracer("game").start_as_current_span("draw") as span:
        after: Any = span
        parent = after.parent
        return [*told, *((parent.trace_id, parent.span_id) if parent is not None else ())]
