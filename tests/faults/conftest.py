"""Brokers for tests that mistreat them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.faults.broker import FaultyBroker

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[FaultyBroker]:
    """A broker of the test's own, running."""
    with FaultyBroker(tmp_path) as broker:
        broker.start()
        yield broker


@pytest.fixture
def broker_with(tmp_path: Path) -> Iterator[Callable[..., FaultyBroker]]:
    """Starts the test's broker with more of a command line."""
    made: list[FaultyBroker] = []

    def start(*arguments: str) -> FaultyBroker:
        broker = FaultyBroker(tmp_path, *arguments)
        made.append(broker)
        broker.start()
        return broker

    yield start
    for broker in made:
        broker.__exit__()
