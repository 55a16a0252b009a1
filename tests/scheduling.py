"""Which worker of a run gets which tests: a file at a time, and what takes longest first.

The tests of a file share what is dear, a server or a database, so they stay together. All that need the one
session of Spark count as one file. Those that start a Java of their own are dealt out in two halves: more at
once would only wait for each other. In the end the workers have small files, and are done at about the same
time.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest
from xdist.scheduler import LoadScopeScheduling

if TYPE_CHECKING:
    from xdist.remote import Producer
    from xdist.workermanage import WorkerController

ROOT: Final = Path(__file__).resolve().parent.parent

#: How tests ask for the session; one costs ten seconds of both cores, so one worker has it for all of them.
SPARK: Final = "spark: SparkSession"

#: Files whose programs start a Java, and the half of each; the first, with a whole cluster, takes longest.
JAVA: Final = {
    "tests/faults/test_pipelines.py": "Java, one half",
    "tests/examples/keno/test_statistics.py": "Java, the other half",
    "tests/faults/test_session.py": "Java, the other half",
    "tests/faults/test_source.py": "Java, the other half",
    "tests/federation/test_kill.py": "Java, the other half",
    "tests/federation/test_up.py": "Java, the other half",
    "tests/test_run.py": "Java, the other half",
}

#: What goes first, in this order: together about as long as all the others.
LONG: Final = (
    "Java",
    SPARK,
    "tests/faults/test_application.py",
    "tests/examples/",
    "tests/faults/",
    "tests/client/test_restarts.py",
    "tests/contracts/",
    "tests/conversations/",
    "tests/properties/",
    "tests/messaging/",
    "tests/outbox/",
)


@cache
def unit_of(file: str) -> str:
    """What a file's tests are dealt out with: nothing but themselves, as a rule."""
    if file in JAVA:
        return JAVA[file]
    return SPARK if (ROOT / file).is_file() and SPARK in (ROOT / file).read_text() else file


def rank(nodeid: str) -> int:
    """Where a test stands in the order of `LONG`."""
    unit = unit_of(nodeid.partition("::")[0])
    return next((at for at, start in enumerate(LONG) if unit.startswith(start)), len(LONG))


class ByFile(LoadScopeScheduling):  # type: ignore[misc] # xdist does not tell its types
    """xdist's own way of keeping tests together."""

    def _split_scope(self, nodeid: str) -> str:
        return unit_of(nodeid.partition("::")[0])

    def mark_test_complete(self, node: WorkerController, item_index: int, duration: float = 0) -> None:
        """Forget a file with its last test: after every test xdist goes through all that it remembers."""
        super().mark_test_complete(node, item_index, duration)
        work: dict[str, dict[str, bool]] = self.assigned_work[node]
        unit = self._split_scope(self.registered_collections[node][item_index])
        if all(work[unit].values()):
            del work[unit]


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Asked by pytest, in each worker. They are in random order by now, and stay so among equals."""
    items.sort(key=lambda item: rank(item.nodeid))


@pytest.hookimpl
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> ByFile | None:
    """Asked by xdist; a way that was chosen by hand (--dist) is left alone."""
    if config.getoption("dist") != "load":
        return None
    config.option.loadscopereorder = False  # what is long is not what has many tests
    return ByFile(config, log)
