"""Databases with the tables of the operation queue."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from penstock.did.operation_queue import OPERATION_QUEUE
from tests.did.operation_queue.helpers import PaperBroker

if TYPE_CHECKING:
    from penstock.clock import VirtualClock
    from penstock.did.database import DomainDatabase


@pytest.fixture
def kept(database: DomainDatabase) -> DomainDatabase:
    """A database with the tables, on each kind in turn."""
    database.create(OPERATION_QUEUE)
    return database


@pytest.fixture
def kept_in_memory(memory: DomainDatabase) -> DomainDatabase:
    """The same, where it does not matter which."""
    memory.create(OPERATION_QUEUE)
    return memory


@pytest.fixture
def broker(clock: VirtualClock) -> PaperBroker:
    return PaperBroker(clock)
