"""Databases with the tables of the federation, and a broker on paper."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from penstock.did.federation import FEDERATION
from tests.did.federation.helpers import PaperQueues

if TYPE_CHECKING:
    from penstock.clock import VirtualClock
    from penstock.did.database import DomainDatabase


@pytest.fixture
def kept(database: DomainDatabase) -> DomainDatabase:
    """A database with the tables, on each kind in turn."""
    database.create(FEDERATION)
    return database


@pytest.fixture
def kept_in_memory(memory: DomainDatabase) -> DomainDatabase:
    """The same, where it does not matter which."""
    memory.create(FEDERATION)
    return memory


@pytest.fixture
def broker(clock: VirtualClock) -> PaperQueues:
    return PaperQueues(clock)
