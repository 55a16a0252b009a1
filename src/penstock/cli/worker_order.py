"""What a worker is told on the command line, and the command line that tells another process the same."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from penstock.cli.application import load_module
from penstock.errors import BadSetting

if TYPE_CHECKING:
    from penstock.workers import Routes

__all__ = ["CHILD", "METAVAR", "SCHEDULES", "URL", "Order", "load_routes"]

#: What help calls it.
METAVAR: Final = "MODULE:ROUTES"
#: What may hold a password goes from process to process in the environment: a command line is everybody's.
URL: Final = "MQ_URL"
SCHEDULES: Final = "PENSTOCK_SCHEDULES"
#: Says that a process was started by another one, and ends with it.
CHILD: Final = "PENSTOCK_WORKER_CHILD"


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """What a worker is to do, and how."""

    routes: str
    queues: tuple[str, ...]
    url: str | None
    schedules: str | None
    concurrency: int
    prefetch: int
    cpu_processes: int
    time_limit: float

    @property
    def arguments(self) -> list[str]:
        """What another process is started with that is to do the same."""
        queues = [word for queue in self.queues for word in ("--queue", queue)]
        numbers = {
            "--concurrency": self.concurrency,
            "--prefetch": self.prefetch,
            "--cpu-processes": self.cpu_processes,
            "--time-limit": self.time_limit,
        }
        options = [word for name, number in numbers.items() for word in (name, f"{number:g}")]
        return [sys.executable, "-m", "penstock", "worker", self.routes, *queues, *options]

    @property
    def environment(self) -> dict[str, str]:
        """What goes with the arguments."""
        given = {URL: self.url, SCHEDULES: self.schedules, CHILD: str(os.getpid())}
        return {name: value for name, value in given.items() if value is not None}


def load_routes(text: str) -> Routes:
    """The routes of that name; their module is looked for in the working directory, too.

    Raises:
        BadSetting: there is no such module, or no such routes in it.
    """
    from penstock.workers import Routes  # noqa: PLC0415 (other commands start sooner)

    module_name, separator, name = text.partition(":")
    if not (module_name and separator and name):
        raise _unfit(f"{text!r}: routes are named like game.jobs:routes, a module and a name in it")
    module = load_module(module_name)
    found = getattr(module, name, None)
    if not isinstance(found, Routes):
        there = [each for each, value in vars(module).items() if isinstance(value, Routes)]
        hint = f"; there is {', '.join(there)}" if there else ""
        raise _unfit(f"{module_name} has no routes {name!r}{hint}")
    return found


def _unfit(told: str) -> BadSetting:
    return BadSetting(told, setting="routes")
