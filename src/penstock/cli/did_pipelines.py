"""The Spark driver of `penstock did up`: the batch writer and the observer of each domain, in one session."""

from __future__ import annotations

import signal
from contextlib import ExitStack
from typing import TYPE_CHECKING

from penstock.cli.stopping import stopping
from penstock.clock import SystemClock
from penstock.errors import PipelineError
from penstock.pipelines.declared import Pipeline, Pipelines
from penstock.pipelines.declared.status import State
from penstock.pipelines.declared.supervising import Supervisor
from penstock.pipelines.did.observing.pipeline import observing
from penstock.pipelines.did.session import open_did_session
from penstock.pipelines.did.writing.batch_writer import writing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from penstock.did.domain.places import Places

__all__ = ["run_pipelines"]


def run_pipelines(
    domains: Iterable[Places],
    data: Path,
    *,
    master: str,
    tell_ready: Callable[[], None],
    spool: Path | None = None,
    more: Iterable[Pipeline] = (),
) -> None:
    """Run the pipelines of all domains until the signal TERM comes.

    Args:
        domains: Whose.
        data: Where they keep how far they came.
        master: Where Spark works.
        tell_ready: Called when Spark is up.
        spool: A folder that executors see, for what is read from a broker without readers.
        more: Pipelines that are no domain's.

    Raises:
        PipelineError: Spark cannot be started, or a pipeline has failed for good.
    """
    with ExitStack() as opened:
        on_signals = opened.enter_context(stopping(signal.SIGTERM))
        spark = opened.enter_context(open_did_session("penstock did", master, progress=False))
        pipelines = list(more)
        for places in domains:
            pipelines += opened.enter_context(writing(places))
            spooled = None if spool is None else str(spool / places.word)
            pipelines += opened.enter_context(observing(places, spool=spooled))
        supervisor = Supervisor(Pipelines(pipelines), data, spark, clock=SystemClock())
        # Until now the signal has ended the process as it is: nothing was begun that would suffer.
        on_signals(supervisor.stop)
        tell_ready()
        ends = supervisor.run()
    failed = [name for name, state in ends.items() if state is State.FAILED]
    if failed:
        raise PipelineError(f"{', '.join(failed)} failed for good; what went wrong stands above")
