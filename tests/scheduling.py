"""Which worker of a run gets which tests: those that need Spark go to one, which starts with them.

A Spark session costs ten seconds of both cores, so one worker has it for all of them. They go first, because
they take longest; until that worker is nearly done with them, the others get the rest, as xdist deals it out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from xdist.scheduler import LoadScheduling

if TYPE_CHECKING:
    from xdist.remote import Producer
    from xdist.workermanage import WorkerController

#: Where the tests are that need the session.
SPARK = "tests/pipelines/"

#: A worker begins a test when it knows the next one.
ENOUGH = 2


class SparkOnOneWorker(LoadScheduling):  # type: ignore[misc] # xdist does not tell its types
    """xdist's own way of spreading tests, but for those that need Spark."""

    pending: list[int]

    def _send_tests(self, node: WorkerController, num: int) -> None:
        wanted = [index for index in self.pending if self._needs_spark(index)]
        if wanted:
            self.pending = [index for index in self.pending if not self._needs_spark(index)]
            self.node2pending[node].extend(wanted)
            node.send_runtest_some(wanted)
            num = max(ENOUGH - len(wanted), 0)
        super()._send_tests(node, num)

    def check_schedule(self, node: WorkerController, duration: float = 0) -> None:
        """Leave a worker alone that has tests with Spark enough."""
        waiting = sum(map(self._needs_spark, self.node2pending[node]))
        if waiting < ENOUGH or not self.pending:
            super().check_schedule(node, duration)

    def _needs_spark(self, index: int) -> bool:
        return self.collection is not None and self.collection[index].startswith(SPARK)


@pytest.hookimpl
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> SparkOnOneWorker | None:
    """Asked by xdist; a way that was chosen by hand (--dist) is left alone."""
    return SparkOnOneWorker(config, log) if config.getoption("dist") == "load" else None
