"""Waiting for queries, with stand-ins for them."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING, Any

import pytest

from penstock.errors import PipelineError
from penstock.pipelines.event_log.waiting import wait

if TYPE_CHECKING:
    from collections.abc import Callable


class FakeQuery:
    """A query that ends, or fails, when it is asked for the second time."""

    name = "event-log-events"

    def __init__(self, failure: str | None = None, *, waited: Callable[[], object] = lambda: None) -> None:
        self.failure, self.waited = failure, waited
        self.asked = 0
        self.is_stopped = False

    @property
    def isActive(self) -> bool:  # noqa: N802  Spark's
        return self.asked < 2

    def awaitTermination(self, _seconds: int) -> None:  # noqa: N802  Spark's
        self.asked += 1
        self.waited()

    def exception(self) -> str | None:
        return self.failure if self.asked == 2 else None

    def stop(self) -> None:
        self.is_stopped = True


def test_filling_waits_for_its_queries_and_stops_them_all() -> None:
    queries: list[Any] = [FakeQuery(), FakeQuery()]
    assert wait(queries)
    assert all(query.is_stopped for query in queries)


def test_a_query_that_fails_ends_it_with_one_line() -> None:
    queries: list[Any] = [FakeQuery(), FakeQuery("Stack\nTableError: the disk is full")]
    with pytest.raises(PipelineError, match=r"^event-log-events failed: TableError: the disk is full$"):
        wait(queries)
    assert all(query.is_stopped for query in queries)


def test_the_signal_term_ends_it_in_good_order() -> None:
    queries: list[Any] = [FakeQuery(waited=lambda: os.kill(os.getpid(), signal.SIGTERM))]
    before = signal.getsignal(signal.SIGTERM)
    assert not wait(queries)
    assert queries[0].is_stopped
    assert signal.getsignal(signal.SIGTERM) is before
