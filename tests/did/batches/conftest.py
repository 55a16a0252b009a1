"""A domain on each kind of database, and one where it does not matter which."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from penstock.clock import VirtualClock
from tests.did.batches.circle import Circle
from tests.sidetree.lives import NOW

if TYPE_CHECKING:
    from penstock.did.database import DomainDatabase


@pytest.fixture
def clock() -> VirtualClock:
    return VirtualClock(NOW)


@pytest.fixture
def circle(database: DomainDatabase, clock: VirtualClock) -> Circle:
    return Circle(database, clock)


@pytest.fixture
def quick(memory: DomainDatabase, clock: VirtualClock) -> Circle:
    return Circle(memory, clock)
