from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from xdist.remote import Producer

from tests.scheduling import (
    JAVA,
    LONG,
    ROOT,
    SPARK,
    ByFile,
    pytest_collection_modifyitems,
    pytest_xdist_make_scheduler,
    unit_of,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

WITH_SPARK = ("tests/pipelines/test_training.py", "tests/pipelines/test_registering.py")
SHORT = tuple(f"tests/wiring/test_{name}.py" for name in "abcdef")


class Worker:
    """A worker that writes down what it is sent."""

    def __init__(self) -> None:
        #: xdist names its workers by it.
        self.gateway = SimpleNamespace(id="gw")
        self.sent: list[int] = []
        self.done = 0
        self.shutting_down = False

    def send_runtest_some(self, indices: Sequence[int]) -> None:
        self.sent += indices

    def shutdown(self) -> None:
        self.shutting_down = True


class Run:
    """Two workers that have collected five tests of each file, and got their first ones."""

    def __init__(self, config: pytest.Config, files: Sequence[str]) -> None:
        items: Any = [SimpleNamespace(nodeid=f"{file}::test_{n}") for n in range(5) for file in files]
        pytest_collection_modifyitems(items)
        self.tests = [str(item.nodeid) for item in items]
        self.workers: list[Any] = [Worker() for _ in range(2)]
        log: Any = Producer("test")
        scheduler = pytest_xdist_make_scheduler(config, log)
        assert scheduler is not None
        self.scheduler: ByFile = scheduler
        for worker in self.workers:
            self.scheduler.add_node(worker)
            self.scheduler.add_node_collection(worker, self.tests)
        self.scheduler.schedule()

    def files_of(self, worker: Any) -> list[str]:
        """The files of what it was sent, in order, each once."""
        return list(dict.fromkeys(self.tests[at].partition("::")[0] for at in worker.sent))

    def finish(self) -> None:
        """All run what they have, and get, each a test in turn."""
        # A worker begins a test when it knows the next, or that there is none.
        while able := [
            each for each in self.workers if len(each.sent) - each.done > (not each.shutting_down)
        ]:
            for worker in able:
                worker.done += 1
                self.scheduler.mark_test_complete(worker, worker.sent[worker.done - 1])


@pytest.fixture
def config(pytestconfig: pytest.Config, monkeypatch: pytest.MonkeyPatch) -> pytest.Config:
    """As of a run with two workers."""
    options = {"tx": ["2*popen"], "dist": "load", "loadscopereorder": True}
    for name, value in options.items():
        monkeypatch.setattr(pytestconfig.option, name, value, raising=False)
    return pytestconfig


def test_a_file_stays_together_and_every_test_is_run_once(config: pytest.Config) -> None:
    run = Run(config, SHORT)
    run.finish()
    assert sorted(at for worker in run.workers for at in worker.sent) == list(range(len(run.tests)))
    first, second = map(run.files_of, run.workers)
    assert sorted(first + second) == sorted(SHORT)
    assert all(worker.shutting_down for worker in run.workers)
    # And of what is done nothing is remembered.
    assert not any(run.scheduler.assigned_work.values())


def test_two_workers_begin_with_what_starts_a_java_and_then_comes_all_that_needs_spark(
    config: pytest.Config,
) -> None:
    run = Run(config, [*SHORT, *JAVA, *WITH_SPARK])
    run.finish()
    files = [run.files_of(worker) for worker in run.workers]
    halves = [{file for file in JAVA if JAVA[file] == half} for half in dict.fromkeys(JAVA.values())]
    begun = [set(each[: sum(map(JAVA.__contains__, each))]) for each in files]
    assert begun in (halves, halves[::-1])
    assert sum(set(WITH_SPARK) <= set(each) for each in files) == 1


def test_what_takes_long_goes_before_what_does_not(config: pytest.Config) -> None:
    run = Run(config, [*SHORT, "tests/outbox/test_x.py", "tests/examples/test_x.py"])
    run.finish()
    first, second = map(run.files_of, run.workers)
    assert (first[0], second[0]) == ("tests/examples/test_x.py", "tests/outbox/test_x.py")


def test_what_a_dead_worker_leaves_goes_to_another(config: pytest.Config) -> None:
    run = Run(config, [*SHORT, *WITH_SPARK])
    dead = run.workers.pop(0)
    assert run.scheduler.remove_node(dead) == run.tests[dead.sent[0]]
    run.finish()
    assert set(WITH_SPARK) <= set(run.files_of(run.workers[0]))


def test_what_is_said_of_files_is_so() -> None:
    assert {unit_of(file) for file in WITH_SPARK} == {SPARK}
    assert all((ROOT / file).is_file() for file in JAVA)
    assert all((ROOT / start).exists() for start in LONG if start.startswith("tests/"))


def test_another_way_of_spreading_is_left_alone(
    config: pytest.Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    log: Any = Producer("test")
    monkeypatch.setattr(config.option, "dist", "loadfile")
    assert pytest_xdist_make_scheduler(config, log) is None
