from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from xdist.remote import Producer

from tests.scheduling import SPARK, SparkOnOneWorker, pytest_xdist_make_scheduler

if TYPE_CHECKING:
    from collections.abc import Sequence


class Worker:
    """A worker that writes down what it is sent."""

    def __init__(self) -> None:
        #: xdist names its workers by it.
        self.gateway = SimpleNamespace(id="gw")
        self.sent: list[int] = []
        self.shutting_down = False

    def send_runtest_some(self, indices: Sequence[int]) -> None:
        self.sent += indices

    def shutdown(self) -> None:
        self.shutting_down = True


@pytest.fixture
def config(pytestconfig: pytest.Config, monkeypatch: pytest.MonkeyPatch) -> pytest.Config:
    """As of a run with two workers."""
    for name, value in {"tx": ["2*popen"], "dist": "load", "maxschedchunk": None}.items():
        monkeypatch.setattr(pytestconfig.option, name, value)
    return pytestconfig


def deal(config: pytest.Config, tests: list[str]) -> tuple[SparkOnOneWorker, Any, Any]:
    """Two workers that have collected the tests and got their first ones."""
    scheduler = SparkOnOneWorker(config)
    workers: tuple[Any, Any] = (Worker(), Worker())
    for worker in workers:
        scheduler.add_node(worker)
        scheduler.add_node_collection(worker, tests)
    scheduler.schedule()
    return scheduler, *workers


def run_next(scheduler: SparkOnOneWorker, worker: Any) -> int:
    """The worker runs the first of its tests."""
    index: int = scheduler.node2pending[worker][0]
    scheduler.mark_test_complete(worker, index, duration=0.01)
    return index


TESTS = [f"tests/a.py::test_{n}" for n in range(40)] + [f"{SPARK}b.py::test_{n}" for n in range(6)]
WITH_SPARK = list(range(40, 46))


def test_one_worker_begins_with_all_that_need_spark(config: pytest.Config) -> None:
    _, first, second = deal(config, TESTS)
    assert first.sent == WITH_SPARK
    assert second.sent
    assert not {*second.sent} & {*WITH_SPARK}


def test_it_gets_others_when_it_is_nearly_done_with_them(config: pytest.Config) -> None:
    scheduler, first, _ = deal(config, TESTS)
    for _ in range(4):
        run_next(scheduler, first)
    assert first.sent == WITH_SPARK
    run_next(scheduler, first)
    assert len(first.sent) > len(WITH_SPARK)


@pytest.mark.parametrize("tests", [TESTS, TESTS[:3], TESTS[-6:], TESTS[39:41], TESTS[40:41]])
def test_every_test_is_run_once(config: pytest.Config, tests: list[str]) -> None:
    scheduler, *workers = deal(config, tests)
    ran: list[int] = []
    while any(scheduler.node2pending[worker] for worker in workers):
        # A worker begins a test when it knows the next, or that there is none.
        able = [each for each in workers if len(scheduler.node2pending[each]) > (not each.shutting_down)]
        ran += [run_next(scheduler, each) for each in able]
        assert able, "nobody goes on"
    assert sorted(ran) == list(range(len(tests)))
    assert all(worker.shutting_down for worker in workers)


def test_what_a_dead_worker_leaves_goes_to_another(config: pytest.Config) -> None:
    scheduler, first, second = deal(config, TESTS)
    assert scheduler.remove_node(first) == f"{SPARK}b.py::test_0"
    while not scheduler.tests_finished:
        run_next(scheduler, second)
    assert {*WITH_SPARK[1:]} <= {*second.sent}


def test_another_way_of_spreading_is_left_alone(
    config: pytest.Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    log: Any = Producer("test")
    assert isinstance(pytest_xdist_make_scheduler(config, log), SparkOnOneWorker)
    monkeypatch.setattr(config.option, "dist", "loadfile")
    assert pytest_xdist_make_scheduler(config, log) is None
