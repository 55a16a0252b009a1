"""`penstock worker`: does the jobs of queues until it is asked to stop."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from penstock.cli.errors import explained
from penstock.cli.worker_order import CHILD, METAVAR, SCHEDULES, URL, Order, load_routes
from penstock.errors import BadSetting

__all__ = ["worker"]

RoutesArgument = Annotated[str, typer.Argument(metavar=METAVAR, help="The routes, such as game.jobs:routes.")]
QueueOption = Annotated[
    list[str] | None,
    typer.Option("--queue", "-q", metavar="NAME", help="A queue to take jobs from; else the routes' own."),
]
UrlOption = Annotated[
    str | None,
    typer.Option(
        "--url", metavar="URL", envvar=URL, help="The broker; without one, a broker inside the worker."
    ),
]
SchedulesOption = Annotated[
    str | None,
    typer.Option(
        "--schedules",
        metavar="URL",
        envvar=SCHEDULES,
        help="The database of crons and of jobs with a key: sqlite:///FILE or postgresql://…",
    ),
]
ProcessesOption = Annotated[
    int,
    typer.Option("--processes", metavar="N", min=1, help="Worker processes; one that dies is started again."),
]
ConcurrencyOption = Annotated[
    int,
    typer.Option(
        "--concurrency", "-c", metavar="N", min=1, help="Jobs of each queue at a time, in each process."
    ),
]
PrefetchOption = Annotated[
    int, typer.Option("--prefetch", metavar="N", min=1, help="Jobs in hand for each that is being done.")
]
CpuOption = Annotated[
    int,
    typer.Option(
        "--cpu-processes", metavar="N", min=1, help="Processes for handlers that ask for one of their own."
    ),
]
TimeLimitOption = Annotated[
    float, typer.Option("--time-limit", min=0, metavar="SECONDS", help="What a job may take; 0 is for ever.")
]
ReloadOption = Annotated[
    bool, typer.Option("--reload", help="For development: begin anew when a Python file here changes.")
]


def worker(
    routes: RoutesArgument,
    queues: QueueOption = None,
    url: UrlOption = None,
    schedules: SchedulesOption = None,
    processes: ProcessesOption = 1,
    concurrency: ConcurrencyOption = 10,
    prefetch: PrefetchOption = 4,
    cpu_processes: CpuOption = 1,
    time_limit: TimeLimitOption = 120.0,
    reload: ReloadOption = False,  # noqa: FBT002 (an option that is not given)
) -> None:
    """Do the jobs of queues until asked to stop (Ctrl-C, or the signal TERM).

    Jobs that have begun are finished then, and the others go back to their
    queues. Start as many workers on as many machines as there is work for.
    """
    with explained():
        order = Order(
            routes=routes,
            queues=tuple(queues or ()),
            url=url,
            schedules=schedules,
            concurrency=concurrency,
            prefetch=prefetch,
            cpu_processes=cpu_processes,
            time_limit=time_limit,
        )
        is_crew = processes > 1 or (reload and CHILD not in os.environ)
        if processes > 1 and url is None:
            raise BadSetting(
                "several processes need a broker that all of them reach: name it with --url", setting="url"
            )
        if not is_crew:
            from penstock.cli.worker_process import run_worker  # noqa: PLC0415 (it is one or the other)

            run_worker(order)
            return
        if not reload:
            # A mistake is told at once, before a process is started for it.
            load_routes(routes)
        from penstock.cli.worker_crew import run_crew  # noqa: PLC0415

        run_crew(order, processes, reload=reload)
