"""Handlers that a process of their own can import."""

from __future__ import annotations

import os
import signal
from typing import Any

from penstock.workers.job import Job  # noqa: TC001  annotations are read

__all__ = ["die", "square", "whoami"]


def square(job: Job[int]) -> int:
    return job.content**2


def whoami(job: Job[Any]) -> int:
    return os.getpid()


def die(job: Job[Any]) -> None:
    os.kill(os.getpid(), signal.SIGKILL)
