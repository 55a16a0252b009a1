"""Work in processes of their own, begun at the same moment. Knows nothing of AMQP."""

from __future__ import annotations

import multiprocessing
import time
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable
    from multiprocessing.connection import Connection

    #: Returns when all who work together have called it.
    Wait = Callable[[], object]
    #: Prepares, waits for the others, works. What it returns must be picklable.
    Work = Callable[[Wait], Any]

#: Seconds after which a piece of work is given up.
PATIENCE: Final = 600

_context = multiprocessing.get_context("fork")


class WorkFailed(Exception):
    """A process of the load generator ended with an error."""


def run_together(*works: Work) -> list[Any]:
    """Each work's result, in their order.

    Raises:
        WorkFailed: one of them failed or took too long; all are ended.
    """
    barrier = _context.Barrier(len(works))
    pipes = [_context.Pipe(duplex=False) for _ in works]
    processes = [
        _context.Process(target=_worker, args=(work, barrier, inlet), daemon=True)
        for work, (_, inlet) in zip(works, pipes, strict=True)
    ]
    for process in processes:
        process.start()
    for _, inlet in pipes:
        inlet.close()
    try:
        deadline = time.monotonic() + PATIENCE
        return [_result(outlet, deadline) for outlet, _ in pipes]
    finally:
        for process in processes:
            process.join(1)
            process.kill()
            process.join()


def _worker(work: Work, barrier: Any, inlet: Connection) -> None:
    try:
        inlet.send((None, work(lambda: barrier.wait(PATIENCE))))
    except BaseException as error:  # noqa: BLE001 - whatever it is, it is told where the table is printed
        barrier.abort()
        inlet.send((f"{type(error).__name__}: {error}", None))


def _result(outlet: Connection, deadline: float) -> Any:
    if not outlet.poll(max(0.0, deadline - time.monotonic())):
        raise WorkFailed(f"not done after {PATIENCE} s")
    error, result = outlet.recv()
    if error:
        raise WorkFailed(error)
    return result
